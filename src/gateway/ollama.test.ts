import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findProvider } from '../model/providers/index.ts';
import { sendJson, startServer } from '../model/test-loopback.ts';
import {
  call,
  fault,
  reply,
  type ScriptedAnswer,
  type ScriptedModel,
  say,
  startScriptedModel,
  think,
} from '../testing/index.ts';
import { eventsIn, PATHS, requestFor, understood } from './test-answer.ts';
import { type Answered, ask, SECRET, startTestGateway } from './test-gateway.ts';

const TOOL = {
  type: 'function',
  function: { name: 'weather', description: 'The weather.', parameters: { type: 'object' } },
};
const REQUEST = { model: 'alias', messages: [{ role: 'user', content: 'Hello' }], tools: [TOOL] };
const END = { model: 'real-model', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' };

async function startModel(...answers: readonly ScriptedAnswer[]): Promise<ScriptedModel> {
  const model = await startScriptedModel(answers);
  onTestFinished(() => model.close());
  return model;
}

const linesIn = ({ text }: Answered) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Returns the content of an answer, as a client puts it together. */
function heardIn(answered: Answered) {
  const lines = linesIn(answered);
  const joined = (name: string) => lines.map((line) => line.message?.[name] ?? '').join('');
  return {
    text: joined('content'),
    thinking: joined('thinking'),
    calls: lines.flatMap((line) => line.message?.tool_calls ?? []),
    end: lines.at(-1),
  };
}

/** Returns the address of a server whose wire stands below it. */
const apiOf = ({ url }: { readonly url: string }) => url.replace(/\/v1$/, '/api');

function sendLines(response: ServerResponse, ...lines: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
}

describe.each(['responses', 'chat', 'ollama'])('a client of a %s server', (wire) => {
  describe.each([undefined, false])('with stream %s', (stream) => {
    const exchange = async (...answers: readonly ScriptedAnswer[]) => {
      const model = await startModel(...answers);
      const gateway = await startTestGateway(model.url, { wire });
      return { model, gateway, answered: await ask(`${gateway.url}/api/chat`, { ...REQUEST, stream }) };
    };

    test('gets the text and the counts', async () => {
      const { model, gateway, answered } = await exchange(reply(say('Good morning to you.')));
      expect(answered.status).toBe(200);
      expect(answered.headers['content-type']).toBe(stream === false ? 'application/json' : 'application/x-ndjson');
      expect(linesIn(answered).length > 1).toBe(stream !== false);
      const counts = wire === 'chat' && stream === false ? {} : { prompt_eval_count: 100, eval_count: 20 };
      expect(heardIn(answered)).toMatchObject({
        text: 'Good morning to you.',
        calls: [],
        end: { done: true, done_reason: 'stop', ...counts },
      });
      expect(model.requests[0]?.body.model).toBe('real-model');
      expect(await gateway.report()).toMatchObject({
        clientWire: 'ollama',
        serverWire: wire,
        status: 200,
        error: null,
      });
    });

    test('gets calls after a thought and a text', async () => {
      const { answered } = await exchange(
        reply(
          think('Two cities.', { raw: 'Two cities.' }),
          say('Let me see.'),
          call('weather', { city: 'Ulm' }, { callId: 'call_1' }),
          call('weather', { city: 'Bonn' }, { callId: 'call_2' }),
        ),
      );
      const { text, thinking, calls } = heardIn(answered);
      expect([text, thinking]).toEqual(['Let me see.', 'Two cities.']);
      expect(calls).toEqual([
        { id: 'call_1', function: { index: 0, name: 'weather', arguments: { city: 'Ulm' } } },
        { id: 'call_2', function: { index: 1, name: 'weather', arguments: { city: 'Bonn' } } },
      ]);
    });

    test('is notified that a limit was reached', async () => {
      const { answered } = await exchange(reply(say('Half of'), { incomplete: 'max_output_tokens' }));
      expect(heardIn(answered)).toMatchObject({ text: 'Half of', end: { done: true, done_reason: 'length' } });
    });

    test('gets errors as a sentence and a status', async () => {
      const refused = await exchange(fault.status(400, { error: { message: 'The field x is wrong.' } }));
      expect([refused.answered.status, JSON.parse(refused.answered.text)]).toEqual([
        400,
        { error: 'The field x is wrong.' },
      ]);
      const failed = await exchange(reply({ failed: { code: 'rate_limit_exceeded', message: 'Try again in 7s.' } }));
      expect([failed.answered.status, JSON.parse(failed.answered.text)]).toEqual([429, { error: 'Try again in 7s.' }]);
      expect(failed.answered.headers['retry-after']).toBe('7');
    });
  });

  test('learns that a stream failed or broke, and is not sent the last line', async () => {
    const failed = { code: 'server_error', message: `No memory, ${SECRET}` };
    const text = 'A long text of many words that never ends.';
    const model = await startModel(
      reply(say('So far'), { failed }),
      fault.cut(reply(say(text)), wire === 'ollama' ? 500 : 1500),
    );
    const { url } = await startTestGateway(model.url, { wire });
    for (const error of [/^No memory, \[redacted\]$/, /./]) {
      const answered = await ask(`${url}/api/chat`, REQUEST);
      expect(answered.status).toBe(200);
      const lines = linesIn(answered);
      expect(lines.at(-1)).toEqual({ error: expect.stringMatching(error), code: expect.any(String) });
      expect(lines.filter(({ done }) => done === true)).toEqual([]);
      expect(answered.text).not.toContain(SECRET);
    }
  });
});

describe.each(['responses', 'chat'] as const)('a %s client of an ollama server', (client) => {
  test.each([true, false])('gets everything, with stream %s', async (stream) => {
    const model = await startModel(
      reply(think('x', { raw: 'Hm.' }), say('Let me see.'), call('weather', { city: 'Ulm' }, { callId: 'call_1' })),
    );
    const { url } = await startTestGateway(model.url, { wire: 'ollama' });
    const answered = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream, stream_options: {} }));
    expect(understood(client, answered.text, stream)).toMatchObject({
      text: 'Let me see.',
      reasoning: 'Hm.',
      calls: [{ id: 'call_1', name: 'weather', args: '{"city":"Ulm"}' }],
      end: 'completed',
    });
    expect(model.requests[0]).toMatchObject({
      path: '/v1/chat',
      body: { model: 'real-model', stream: true, truncate: false, messages: [{ role: 'user', content: 'Hello' }] },
    });
  });

  test('is notified of a failure in the middle of a stream', async () => {
    const server = await startServer((response) =>
      sendLines(response, { ...END, message: { content: 'So' }, done: false }, { error: 'no memory' }),
    );
    const { url } = await startTestGateway(server.url, { wire: 'ollama' });
    const answered = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true }));
    expect(answered.text).toContain('So');
    expect(JSON.stringify(eventsIn(answered.text).at(-1))).toContain('no memory');
  });

  test('has an effort, unless the model cannot think', async () => {
    const server = await startServer((response, turn) =>
      turn === 1
        ? sendJson(response, 400, { error: '"real-model" does not support thinking' })
        : sendLines(response, END),
    );
    const { url, report } = await startTestGateway(server.url, { wire: 'ollama' });
    const effort = client === 'chat' ? { reasoning_effort: 'medium' } : { reasoning: { effort: 'medium' } };
    for (const _ of [1, 2]) await ask(`${url}${PATHS[client]}`, requestFor(client, effort));
    expect(server.requests.map(({ body }) => JSON.parse(body).think)).toEqual(['medium', undefined, undefined]);
    expect(await report()).toMatchObject({ status: 200 });
  });
});

/** Returns the answer of Ollama about a model that it does not have. */
const notFound = (model: string) => ({ status: 404, body: { error: `model '${model}' not found` } });

describe('a request to a server of the same wire', () => {
  test('keeps its bytes, and so does a whole answer', async () => {
    const answer =
      '{ "model":"real-model", "message":{"content":"Hi"}, "x":12345678901234567890, "done":true, "eval_count":2 }';
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end(answer);
    });
    const { url, report } = await startTestGateway(server.url, { wire: 'ollama' });
    const body =
      '{ "model": "real-model",\n "messages": [], "stream":false, "options": {"num_ctx": 8192.0}, "keep_alive": -1 }';
    const answered = await ask(`${url}/api/chat`, body);
    expect(server.requests).toMatchObject([{ path: '/v1/chat', body }]);
    expect(answered.text).toBe(answer);
    expect(await report()).toMatchObject({ outputTokens: 2, error: null });
  });

  test('keeps the lines of a stream', async () => {
    const lines = ['{"x": 1.0, "message":{"content":"Hi"},"done":false}', JSON.stringify({ ...END, more: [1] })];
    const server = await startServer((response) => sendLines(response, ...lines));
    const { url } = await startTestGateway(server.url, { wire: 'ollama' });
    const answered = await ask(`${url}/api/chat`, REQUEST);
    expect(answered.text).toBe(`${lines.join('\n')}\n`);
  });

  test('is not sent over other wires when the server lacks only the model', async () => {
    const server = await startServer((response) => sendJson(response, 404, { error: "model 'real-model' not found" }));
    const { url } = await startTestGateway(apiOf(server));
    const answered = await ask(`${url}/api/chat`, REQUEST);
    expect([answered.status, JSON.parse(answered.text)]).toEqual([404, { error: "model 'real-model' not found" }]);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/chat']);
  });
});

test.each(['responses', 'chat'] as const)(
  'a server whose address ends in /api gets requests of %s clients over its own wire first',
  async (client) => {
    const server = await startServer((response) => sendLines(response, END));
    const { url, report } = await startTestGateway(apiOf(server));
    await ask(`${url}${PATHS[client]}`, requestFor(client));
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/chat']);
    expect(await report()).toMatchObject({ serverWire: 'ollama' });
  },
);

describe('a prompt', () => {
  const PROMPT = { model: 'alias', prompt: 'Why?', system: 'Be brief.' };

  test.each([undefined, false])('becomes a message for a server of another wire, with stream %s', async (stream) => {
    const model = await startModel(reply(think('x', { raw: 'Hm.' }), say('Because of it.')));
    const { url } = await startTestGateway(model.url, { wire: 'chat' });
    const lines = linesIn(await ask(`${url}/api/generate`, { ...PROMPT, stream }));
    expect(model.requests[0]?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
    ]);
    expect(lines.map(({ response }) => response).join('')).toBe('Because of it.');
    expect(lines.map(({ thinking = '' }) => thinking).join('')).toBe('Hm.');
    expect(lines.at(-1)).toMatchObject({ done: true, done_reason: 'stop', context: [] });
    expect(lines.some((line) => 'message' in line)).toBe(false);
  });

  test('with a suffix is refused by a gateway to a server of another wire', async () => {
    const { url } = await startTestGateway('http://127.0.0.1:1/v1', { wire: 'chat' });
    const answered = await ask(`${url}/api/generate`, { ...PROMPT, suffix: '}' });
    expect([answered.status, JSON.parse(answered.text).error]).toEqual([
      400,
      expect.stringContaining('The field suffix'),
    ]);
  });

  test.each([true, false])('passes to a server of the wire as it came, with stream %s', async (stream) => {
    const end = { model: 'real-model', response: 'x', done: true, context: [1, 2], eval_count: 3 };
    const server = await startServer((response) =>
      stream ? sendLines(response, { response: 'x = ', done: false }, end) : sendJson(response, 200, end),
    );
    const { url, report } = await startTestGateway(apiOf(server));
    const body = { ...PROMPT, suffix: '}', raw: true, stream, options: { num_ctx: 9 } };
    const lines = linesIn(await ask(`${url}/api/generate`, body));
    expect(server.requests).toMatchObject([{ path: '/api/generate' }]);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ...body, model: 'real-model' });
    expect(lines.at(-1)).toEqual(end);
    expect(await report()).toMatchObject({ serverWire: 'ollama', outputTokens: 3, error: null });
  });

  test('to a server that breaks off ends with an error', async () => {
    const server = await startServer((response) => sendLines(response, { response: 'x = ', done: false }));
    const { url } = await startTestGateway(apiOf(server));
    const lines = linesIn(await ask(`${url}/api/generate`, PROMPT));
    expect(lines.at(-1)).toEqual({ error: expect.any(String), code: 'stream_closed' });
  });
});

describe('the other routes', () => {
  const json = async (url: string, body?: object, method?: string) => {
    const { status, text } = await ask(url, body, method === undefined ? {} : { method });
    return { status, body: JSON.parse(text) };
  };

  test('list the models of the gateway', async () => {
    const { url } = await startTestGateway('http://127.0.0.1:1/v1');
    const { body } = await json(`${url}/api/tags`);
    expect(body.models.map(({ name }: { name: string }) => name)).toEqual(['real-model', 'alias']);
    expect(body.models[0]).toEqual({
      name: 'real-model',
      model: 'real-model',
      modified_at: '1970-01-01T00:00:00.000Z',
      size: 0,
      digest: '0'.repeat(64),
      details: {
        parent_model: '',
        format: '',
        family: 'unknown',
        families: ['unknown'],
        parameter_size: '',
        quantization_level: '',
      },
    });
  });

  test('list the models of a server of the wire, with its facts, for clients of every wire', async () => {
    const details = { family: 'llama', families: ['llama'], format: 'gguf' };
    const listed = {
      name: 'l:1b',
      model: 'l:1b',
      modified_at: '2025-05-04T17:37:44.706Z',
      size: 3,
      digest: 'a80',
      details,
    };
    const server = await startServer((response) => sendJson(response, 200, { models: [listed] }));
    const provider = findProvider('test', { test: { baseUrl: apiOf(server) } });
    const targets = { find: () => ({ provider, model: 'l:1b' }), names: [], defaultProvider: provider };
    const { url } = await startTestGateway(apiOf(server), {}, { targets });
    expect((await json(`${url}/api/tags`)).body).toEqual({ models: [listed] });
    expect((await json(`${url}/v1/models`)).body.data).toMatchObject([{ id: 'l:1b' }]);
    expect(server.requests.map(({ path }) => path)).toEqual(['/api/tags', '/api/tags']);
  });

  test('show what is known about a model', async () => {
    const provider = findProvider('test', { test: { baseUrl: 'http://127.0.0.1:1/v1' } });
    const targets = { find: (name: string) => (name === 'x' ? undefined : { provider, model: name }), names: [] };
    const { url } = await startTestGateway('http://127.0.0.1:1/v1', {}, { targets });
    expect((await json(`${url}/api/show`, { model: 'gpt-6-astra' })).body).toMatchObject({
      model_info: { 'general.architecture': 'unknown', 'unknown.context_length': expect.any(Number) },
      capabilities: ['completion', 'tools', 'vision', 'thinking'],
    });
    expect((await json(`${url}/api/show`, { name: 'mine' })).body).toMatchObject({
      details: { family: 'unknown' },
      model_info: { 'general.basename': 'mine' },
      capabilities: ['completion', 'tools'],
    });
    expect(await json(`${url}/api/show`, { model: 'x' })).toEqual(notFound('x'));
    expect(await json(`${url}/api/show`, {})).toEqual({ status: 400, body: { error: 'The request names no model.' } });
  });

  test('show no model that its server does not list', async () => {
    const server = await startServer((response, _turn, request) => {
      if (request.method === 'GET') sendJson(response, 200, { data: [{ id: 'l:1b' }, { id: 'm:latest' }] });
      else sendJson(response, 404, { error: 'no' });
    });
    const provider = findProvider('test', { test: { baseUrl: `${server.url}/v1` } });
    const find = (name: string) => ({ provider, model: name === 'alias' ? 'hidden' : name });
    const targets = { find, names: ['alias'], defaultProvider: provider };
    const { url } = await startTestGateway(`${server.url}/v1`, {}, { targets });
    const show = (model: string) => json(`${url}/api/show`, { model });
    expect(await show('nobody')).toEqual(notFound('nobody'));
    for (const model of ['l:1b', 'm', 'alias']) expect((await show(model)).status).toBe(200);
  });

  test.each(['/v1', '/api'])('show any model of a server at %s that lists none', async (path) => {
    const server = await startServer((response) => sendJson(response, 404, { error: 'no' }));
    const provider = findProvider('test', { test: { baseUrl: `${server.url}${path}` } });
    const targets = { find: (model: string) => ({ provider, model }), names: [], defaultProvider: provider };
    const { url } = await startTestGateway(`${server.url}${path}`, {}, { targets });
    expect((await json(`${url}/api/show`, { model: 'anything' })).status).toBe(200);
  });

  test('show what a server of the wire says about a model', async () => {
    const shown = { capabilities: ['completion'], model_info: { 'general.architecture': 'llama' } };
    const server = await startServer((response) => sendJson(response, 200, shown));
    const { url } = await startTestGateway(apiOf(server));
    expect((await json(`${url}/api/show`, { model: 'alias' })).body).toEqual(shown);
    expect(server.requests).toMatchObject([{ path: '/api/show', body: '{"model":"real-model"}' }]);
  });

  test('tell clients that there is a server, and of which version', async () => {
    const { url } = await startTestGateway('http://127.0.0.1:1/v1');
    expect((await json(`${url}/api/version`)).body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
    expect((await json(`${url}/api/ps`)).body).toEqual({ models: [] });
    const root = await ask(`${url}/`);
    expect([root.text, root.headers['content-type']]).toEqual(['Ollama is running', 'text/plain; charset=utf-8']);
    expect(await ask(`${url}/`, undefined, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  test.each([
    ['POST', 'pull'],
    ['POST', 'push'],
    ['POST', 'create'],
    ['POST', 'copy'],
    ['DELETE', 'delete'],
    ['POST', 'embed'],
    ['POST', 'embeddings'],
  ])('%s /api/%s says what the gateway does not do', async (method, name) => {
    const { url } = await startTestGateway('http://127.0.0.1:1/v1');
    const answered = await json(`${url}/api/${name}`, method === 'POST' ? { model: 'm' } : undefined, method);
    expect(answered).toEqual({ status: 501, body: { error: expect.stringMatching(/^[A-Z].*\.$/) } });
  });

  test('answer programs of this wire with a sentence, on any path', async () => {
    const { url } = await startTestGateway('http://127.0.0.1:1/v1');
    const headers = { 'user-agent': 'ollama-js/0.6.4 (x64 linux Node.js/v20)' };
    const answered = await ask(`${url}/api/nothing`, undefined, { headers });
    expect([answered.status, JSON.parse(answered.text)]).toEqual([
      404,
      { error: expect.stringContaining('/api/nothing') },
    ]);
  });
});
