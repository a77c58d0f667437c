import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { requestFor, understood } from './test-answer.ts';
import { ask, SECRET, startTestGateway } from './test-gateway.ts';

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

interface SentBody {
  readonly messages: readonly { readonly role: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly store?: boolean;
  readonly parallel_tool_calls?: boolean;
}

const parsed = (body: string | undefined) => JSON.parse(body ?? '{}') as SentBody;

describe('a server that refuses something of a request', () => {
  test('gets the request without it, and from then on at once', async () => {
    const server = await startServer((response) => {
      const { store } = parsed(server.requests.at(-1)?.body);
      if (store === undefined) return sendJson(response, 200, COMPLETION);
      const detail = [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra inputs are not permitted' }];
      sendJson(response, 422, { detail });
    });
    const { url, report } = await startTestGateway(server.url, { wire: 'chat' });
    const body = requestFor('chat', { store: true, x_new: 1 });
    for (let n = 0; n < 2; n++) expect((await ask(`${url}/v1/chat/completions`, body)).status).toBe(200);
    expect(server.requests).toHaveLength(3);
    expect(parsed(server.requests[1]?.body)).toMatchObject({ x_new: 1 });
    expect((await report(1)).adaptations).toEqual([expect.stringContaining('does not take store'), 'G3']);
    expect((await report(2)).adaptations).toEqual(['G3']);
  });

  test('teaches several lessons with one request, over the bridge too', async () => {
    const server = await startServer((response) => {
      const { messages, parallel_tool_calls } = parsed(server.requests.at(-1)?.body);
      if (messages.some(({ role }) => role === 'developer')) {
        const message = 'messages[0].role: unknown variant `developer`, expected one of `system`, `user`';
        sendJson(response, 400, { error: { message } });
      } else if (parallel_tool_calls !== undefined) {
        sendJson(response, 400, {
          error: { message: 'Unknown parameter: parallel_tool_calls', param: 'parallel_tool_calls' },
        });
      } else sendJson(response, 200, COMPLETION);
    });
    const { url, report } = await startTestGateway(server.url, { wire: 'chat' });
    const input = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
    ];
    const answered = await ask(`${url}/v1/responses`, requestFor('responses', { input }));
    expect(understood('responses', answered.text, false).text).toBe('Hello');
    expect(server.requests.length).toBeLessThanOrEqual(3);
    expect((await report()).adaptations).toEqual(expect.arrayContaining(['G3']));
  });

  test('is not asked forever', async () => {
    let n = 0;
    const server = await startServer((response) =>
      sendJson(response, 400, { error: { message: `Unknown parameter: x_${n}`, param: `x_${n++}` } }),
    );
    const { url, reports } = await startTestGateway(server.url, { wire: 'chat' });
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x_${i}`, i]));
    expect((await ask(`${url}/v1/chat/completions`, requestFor('chat', fields))).status).toBe(400);
    expect(server.requests).toHaveLength(5);
    expect(reports).toHaveLength(1);
    // A change that never led to an answer was not learned.
    await ask(`${url}/v1/chat/completions`, requestFor('chat', { x_0: 1 }));
    expect(parsed(server.requests[5]?.body)).toHaveProperty('x_0');
  });

  test('is asked again without reasoning that it cannot open', async () => {
    const server = await startServer((response) => {
      const isSealed = server.requests.at(-1)?.body.includes('sealed');
      if (isSealed) sendJson(response, 400, { error: { code: 'invalid_encrypted_content', message: 'No.' } });
      else sendJson(response, 200, { id: 'resp_1', object: 'response', status: 'completed', output: [] });
    });
    const { url, report } = await startTestGateway(server.url, { wire: 'responses' });
    const input = [
      { type: 'reasoning', summary: [], encrypted_content: 'sealed' },
      { role: 'user', content: 'Hello' },
    ];
    expect((await ask(`${url}/v1/responses`, { model: 'alias', input })).status).toBe(200);
    expect((await report()).adaptations).toEqual(['E9']);
  });

  test('gets names of tools that it accepts, and the client gets its own names back', async () => {
    const server = await startServer((response) => {
      const name = parsed(server.requests.at(-1)?.body).tools?.[0]?.function.name ?? '';
      if (name.includes('.')) {
        const message = "Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.";
        return sendJson(response, 400, { error: { message } });
      }
      const call = { id: 'call_1', type: 'function', function: { name, arguments: '{}' } };
      const choice = {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [call] },
        finish_reason: 'tool_calls',
      };
      sendJson(response, 200, { ...COMPLETION, choices: [choice] });
    });
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const tool = {
      type: 'function',
      function: { name: 'git.status', description: '', parameters: { type: 'object' } },
    };
    for (const stream of [false, true]) {
      const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { tools: [tool], stream }));
      expect(understood('chat', text, stream).calls).toEqual([{ id: 'call_1', name: 'git.status', args: '{}' }]);
    }
  });

  test('may repeat the key in its refusal, and no client sees the key', async () => {
    const server = await startServer((response) =>
      sendJson(response, 400, { error: { message: `Bad ${SECRET}`, code: `c-${SECRET}`, param: SECRET } }),
    );
    const { url, report } = await startTestGateway(server.url, { wire: 'chat' });
    const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect(text).not.toContain(SECRET);
    expect(JSON.stringify(await report())).not.toContain(SECRET);
  });
});
