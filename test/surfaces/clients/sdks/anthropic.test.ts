import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, callsOf, fault, outputsOf, reply, say, think } from '../../../../src/testing/index.ts';
import type { WireName } from '../one-wire-model.ts';
import { requireInstalled, WEATHER } from './sdk.ts';
import { openStand, type Stand } from './stand.ts';

const SERVERS: readonly WireName[] = ['chat', 'responses', 'messages', 'ollama'];
const ASKED = { model: 'scripted', max_tokens: 4096, messages: [{ role: 'user', content: 'How is it in Bern?' }] };

const require = requireInstalled(['@anthropic-ai/sdk']);
const { Anthropic } = require ? require('@anthropic-ai/sdk') : {};

describe.skipIf(require === undefined).each(SERVERS)('@anthropic-ai/sdk with a %s server', (server) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(server);
  });
  afterAll(() => stand.close());

  const client = () => new Anthropic({ apiKey: 'client-key', baseURL: stand.origin, maxRetries: 0 });

  test('the events of a stream come in order, and the message is complete', async () => {
    stand.play(reply(think('I look.'), say('I look at the sky.'), call('weather', { city: 'Bern' })));
    const stream = client().messages.stream({ ...ASKED, thinking: { type: 'enabled', budget_tokens: 2000 } });
    const seen: string[] = [];
    for (const name of ['thinking', 'text', 'inputJson', 'contentBlock', 'message']) {
      stream.on(name, () => {
        if (seen.at(-1) !== name) seen.push(name);
      });
    }
    const message = await stream.finalMessage();
    expect(seen).toEqual(['thinking', 'contentBlock', 'text', 'contentBlock', 'inputJson', 'contentBlock', 'message']);
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      stop_reason: 'tool_use',
      stop_sequence: null,
      content: [
        { type: 'thinking', thinking: 'I look.', signature: expect.any(String) },
        { type: 'text', text: 'I look at the sky.' },
        { type: 'tool_use', id: expect.any(String), name: 'weather', input: { city: 'Bern' } },
      ],
      usage: { input_tokens: 100, output_tokens: 20 },
    });
  });

  test.each([false, true])('the tool runner runs the tools (stream: %s)', async (stream) => {
    stand.play(
      reply(call('weather', { city: 'Bern' }), call('weather', { city: 'Rome' })),
      reply(say('Both are sunny.')),
    );
    const ran: string[] = [];
    const { name, description, parameters } = WEATHER;
    const run = ({ city }: { readonly city: string }) => {
      ran.push(city);
      return `sun in ${city}`;
    };
    const tools = [{ name, description, input_schema: parameters, run, parse: (input: unknown) => input }];
    const last = await client()
      .beta.messages.toolRunner({ ...ASKED, tools, stream })
      .runUntilDone();
    expect(last.content).toMatchObject([{ type: 'text', text: 'Both are sunny.' }]);
    expect(new Set(ran)).toEqual(new Set(['Bern', 'Rome']));
    const [, second] = stand.requests;
    if (!second) throw new Error('There was no second request.');
    expect(outputsOf(second).map(({ text }) => text)).toEqual(['sun in Bern', 'sun in Rome']);
    expect(outputsOf(second).map(({ callId }) => callId)).toEqual(callsOf(second).map(({ callId }) => callId));
  });

  test('tokens are counted', async () => {
    stand.play();
    const short = await client().messages.countTokens({ model: 'scripted', messages: ASKED.messages });
    const long = await client().messages.countTokens({
      model: 'scripted',
      system: 'You are a weather service. '.repeat(50),
      messages: ASKED.messages,
    });
    expect(short.input_tokens).toBeGreaterThan(3);
    expect(long.input_tokens).toBeGreaterThan(short.input_tokens + 100);
  });

  test('the models are listed', async () => {
    const models: object[] = [];
    for await (const model of client().models.list()) models.push(model);
    expect(models).toContainEqual(
      expect.objectContaining({ type: 'model', id: 'scripted', display_name: expect.any(String) }),
    );
    expect(await client().models.retrieve('scripted')).toMatchObject({ type: 'model', id: 'scripted' });
  });

  test('errors have the classes of the package', async () => {
    const cases = [
      { status: 400, name: 'BadRequestError', type: 'invalid_request_error' },
      { status: 404, name: 'NotFoundError', type: 'not_found_error' },
      { status: 429, name: 'RateLimitError', type: 'rate_limit_error' },
      { status: 500, name: 'InternalServerError', type: 'api_error' },
    ];
    for (const stream of [false, true]) {
      for (const { status, name, type } of cases) {
        const error = { message: `That is a ${status}.`, type: 'some_error', code: 'some_code' };
        // A failure of the server is tried again by the gateway.
        stand.play(...Array.from({ length: 8 }, () => fault.status(status, { error }, { 'retry-after': '0' })));
        const thrown = await client()
          .messages.create({ ...ASKED, stream })
          .then(
            () => undefined,
            (caught: unknown) => caught,
          );
        expect(thrown).toBeInstanceOf(Anthropic[name]);
        expect(thrown).toMatchObject({ status, error: { type: 'error', error: { type } } });
        expect(String(thrown)).toContain(`That is a ${status}.`);
      }
    }
  });

  test.each([false, true])('a full context is an error that clients understand (stream: %s)', async (stream) => {
    const message = "This model's maximum context length is 4096 tokens. However, you requested 9120 tokens.";
    stand.play(
      fault.status(400, { error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } }),
    );
    const asking = client().messages.create({ ...ASKED, stream });
    await expect(asking).rejects.toMatchObject({ status: 400, message: expect.stringContaining('prompt is too long') });
  });

  test('a server that dies in the middle of a stream is an error', async () => {
    stand.play(reply(say('So far'), { failed: { code: 'server_error', message: 'The model died.' } }));
    const reading = client().messages.stream(ASKED).finalMessage();
    await expect(reading).rejects.toThrow('The model died.');
  });
});
