import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { fault, gate, reply, say } from '../../../src/testing/index.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import { openaiScene } from './openai-scene.ts';

/** Every way to ask for an answer. */
const WAYS: Readonly<Record<string, (client: OpenAI, signal?: AbortSignal) => Promise<unknown>>> = {
  'a response': (client, signal) => client.responses.create({ model: 'm', input: 'Hello' }, { signal }),
  'a streamed response': async (client, signal) => {
    const stream = await client.responses.create({ model: 'm', input: 'Hello', stream: true }, { signal });
    for await (const event of stream) if (event.type === 'error') throw new Error(event.message);
  },
  'a completion': (client, signal) => client.chat.completions.create({ model: 'm', messages: MESSAGES }, { signal }),
  'a streamed completion': async (client, signal) => {
    const asked = { model: 'm', messages: MESSAGES, stream: true as const };
    const stream = await client.chat.completions.create(asked, { signal });
    for await (const chunk of stream) if (chunk.choices.length > 1) throw new Error('There is one choice.');
  },
};

const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];

const PAIRS = (['chat', 'responses'] as const).flatMap((server) =>
  Object.entries(WAYS).map(([what, ask]) => ({ server, what, ask })),
);

async function errorOf(promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OpenAI.APIError) return error;
  throw new Error(`That was no error of the API: ${String(error)}`);
}

describe.each(PAIRS)('$what from a $server server', ({ server, what, ask }) => {
  const testOne = testInTurn(Number(server === 'chat') + Object.keys(WAYS).indexOf(what));

  testOne('needs the key of the gateway', async () => {
    const options = { args: ['--key-env', 'KEY'], env: { KEY: 'the-key-of-clients' } };
    const { client, model, baseURL } = await openaiScene(server, [reply(say('Hello.'))], options);
    const error = await errorOf(ask(client));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
    expect(model.requests).toEqual([]);
    await ask(new OpenAI({ apiKey: 'the-key-of-clients', baseURL, maxRetries: 0 }));
    expect(model.requests).toHaveLength(1);
  });

  testOne('fails with the error classes of the package', async () => {
    const said = (message: string, code: string) => ({ error: { message, type: 'some_error', code, param: null } });
    const { client } = await openaiScene(server, [
      fault.status(429, said('Slow down.', 'rate_limit_exceeded'), { 'retry-after': '7' }),
      reply(say('Hello.')),
      fault.status(404, said('There is no model m.', 'model_not_found')),
      fault.status(400, said('The tools are wrong.', 'wrong_tools')),
      fault.status(401, said('The key sk-123 is wrong.', 'invalid_api_key')),
    ]);
    const limited = await errorOf(ask(client));
    expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
    expect(limited.headers?.get('retry-after')).toBe('7');
    expect(limited).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    await ask(client);
    const unknown = await errorOf(ask(client));
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(unknown).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(unknown.message).toContain('There is no model m.');
    const wrong = await errorOf(ask(client));
    expect(wrong).toBeInstanceOf(OpenAI.BadRequestError);
    expect(wrong).toMatchObject({ status: 400, code: 'wrong_tools' });
    const auth = await errorOf(ask(client));
    expect(auth).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(auth).toMatchObject({ status: 401, code: 'upstream_auth' });
    expect(auth.message).toContain('The key [redacted] is wrong.');
  });

  testOne('reports a full context window', async () => {
    const error = {
      message: "This model's maximum context length is 100 tokens.",
      code: 'context_length_exceeded',
      type: 'invalid_request_error',
    };
    const { client } = await openaiScene(server, [fault.status(400, { error })]);
    if (what === 'a streamed response') {
      // Inside the stream, where clients that compact look for the error.
      expect(await lastOf(client)).toMatchObject({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'context_length_exceeded', message: error.message } },
      });
    } else {
      const failed = await errorOf(ask(client));
      expect(failed).toBeInstanceOf(OpenAI.BadRequestError);
      expect(failed).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      expect(failed.message).toContain(error.message);
    }
  });

  testOne('can be aborted, which ends the request to the server', async () => {
    const { client, model } = await openaiScene(server, [fault.hangBeforeHeaders()], { args: ['--wire', server] });
    const controller = new AbortController();
    const asking = errorOf(ask(client, controller.signal));
    const request = await model.waitForRequest(1);
    controller.abort();
    expect(await asking).toBeInstanceOf(OpenAI.APIUserAbortError);
    await request.ended;
    expect(request.aborted).toBe(true);
  });
});

/** Returns the last event of a streamed response. */
async function lastOf(client: OpenAI): Promise<unknown> {
  let last: unknown;
  for await (const event of client.responses.stream({ model: 'm', input: 'Hello' })) last = event;
  return last;
}

test.each(['chat', 'responses'] as const)('an aborted stream ends the request to the %s server', async (server) => {
  const { client, model } = await openaiScene(server, [reply(say('Hello'), gate(new Promise(() => {})))], {
    args: ['--wire', server],
  });
  const stream = await client.responses.create({ model: 'm', input: 'Hello', stream: true });
  for await (const event of stream) if (event.type === 'response.output_text.delta') stream.controller.abort();
  const request = await model.waitForRequest(1);
  await request.ended;
  expect(request.aborted).toBe(true);
});

test('a failure in the middle of a stream throws in a chat client, and ends the response of a Responses client', async () => {
  const failed = { code: 'server_error', message: 'The model died.' };
  const { client } = await openaiScene('chat', [reply(say('So far'), { failed }), reply(say('So far'), { failed })]);
  const stream = await client.chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
  let text = '';
  const reading = async () => {
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  };
  const error = await errorOf(reading());
  expect(error.message).toContain('The model died.');
  expect(text).toBe('So far');
  expect(await lastOf(client)).toMatchObject({
    type: 'response.failed',
    response: {
      status: 'failed',
      error: { code: 'server_error', message: expect.stringContaining('The model died.') },
    },
  });
});

test('a client that retries waits for the time in the header', async () => {
  const busy = { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } };
  const { model, baseURL } = await openaiScene('chat', [
    fault.status(429, busy, { 'retry-after': '1' }),
    reply(say('Hello.')),
  ]);
  const client = new OpenAI({ apiKey: 'x', baseURL, maxRetries: 1 });
  const { output_text } = await client.responses.create({ model: 'm', input: 'Hello' });
  expect(output_text).toBe('Hello.');
  const [first, second] = model.requests.map(({ receivedAt }) => receivedAt);
  expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(1000);
});

test('the models are listed', async () => {
  const { client } = await openaiScene('chat', [], { args: ['-m', 'big-model'] });
  const ids: string[] = [];
  for await (const { id } of client.models.list()) ids.push(id);
  expect(ids).toEqual(['big-model']);
  expect(await client.models.retrieve('big-model')).toMatchObject({ id: 'big-model', object: 'model' });
});
