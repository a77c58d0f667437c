import { describe, expect, onTestFinished, test } from 'vitest';
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
import { errorIn, eventsIn, PATHS, requestFor, TESTED_WIRES, type TestedWire, understood } from './test-answer.ts';
import { ask, SECRET, startTestGateway } from './test-gateway.ts';

const PAIRS = TESTED_WIRES.flatMap((client) => TESTED_WIRES.map((server) => ({ client, server })));

/** Wires whose errors have a code besides the message. */
const WITH_CODES: ReadonlySet<TestedWire> = new Set(['responses', 'chat']);

async function startModel(...answers: readonly ScriptedAnswer[]): Promise<ScriptedModel> {
  const model = await startScriptedModel(answers);
  onTestFinished(() => model.close());
  return model;
}

async function setUp(server: TestedWire, ...answers: readonly ScriptedAnswer[]) {
  const model = await startModel(...answers);
  return { model, gateway: await startTestGateway(model.url, { wire: server }) };
}

describe.each(PAIRS)('a $client client of a $server server', ({ client, server }) => {
  describe.each([{ stream: true }, { stream: false }])('with stream $stream', ({ stream }) => {
    const exchange = async (...answers: readonly ScriptedAnswer[]) => {
      const { model, gateway } = await setUp(server, ...answers);
      const answered = await ask(`${gateway.url}${PATHS[client]}`, requestFor(client, { stream }));
      return { model, gateway, answered };
    };

    test('gets the text', async () => {
      const { model, gateway, answered } = await exchange(reply(say('Good morning to you.')));
      expect(answered.status).toBe(200);
      const { text, end, calls } = understood(client, answered.text, stream);
      expect({ text, end, calls }).toEqual({ text: 'Good morning to you.', end: 'completed', calls: [] });
      expect(model.requests[0]?.body.model).toBe('real-model');
      expect(await gateway.report()).toMatchObject({
        clientWire: client,
        serverWire: server,
        provider: 'test',
        model: 'real-model',
        stream,
        status: 200,
        // The scripted server streams even when it is asked not to, and then no one asks it for the usage.
        ...((stream || client !== 'chat' || server !== 'chat') && { inputTokens: 100, outputTokens: 20 }),
        error: null,
      });
    });

    test('gets a call', async () => {
      const { answered } = await exchange(reply(call('weather', { city: 'Ulm' }, { callId: 'call_1' })));
      expect(understood(client, answered.text, stream)).toMatchObject({
        calls: [{ id: 'call_1', name: 'weather', args: '{"city":"Ulm"}' }],
        end: 'completed',
      });
    });

    test('gets parallel calls after a thought and a text', async () => {
      const { answered } = await exchange(
        reply(
          think('Two cities.', { raw: 'Two cities.' }),
          say('Let me see.'),
          call('weather', { city: 'Ulm' }, { callId: 'call_1' }),
          call('weather', { city: 'Bonn' }, { callId: 'call_2' }),
        ),
      );
      const answer = understood(client, answered.text, stream);
      expect(answer.text).toBe('Let me see.');
      expect(answer.reasoning).toContain('Two cities.');
      expect(answer.calls).toEqual([
        { id: 'call_1', name: 'weather', args: '{"city":"Ulm"}' },
        { id: 'call_2', name: 'weather', args: '{"city":"Bonn"}' },
      ]);
    });

    test('is notified that a limit was reached', async () => {
      const { answered } = await exchange(reply(say('Half of'), { incomplete: 'max_output_tokens' }));
      expect(understood(client, answered.text, stream)).toMatchObject({ text: 'Half of', end: 'incomplete' });
    });

    test('gets the status of a server that refuses the request', async () => {
      const error = { message: 'The field x is wrong.', type: 'invalid_request_error', code: 'bad_x', param: 'x' };
      const { gateway, answered } = await exchange(fault.status(400, { error }));
      expect(answered.status).toBe(400);
      if (WITH_CODES.has(client)) expect(JSON.parse(answered.text)).toEqual({ error });
      else expect(errorIn(client, answered.text)).toMatchObject({ message: error.message });
      expect((await gateway.report()).status).toBe(400);
    });

    test('gets a status when the server fails before its first frame', async () => {
      const failed = { code: 'rate_limit_exceeded', message: 'Try again in 7s.' };
      const { gateway, answered } = await exchange(reply({ failed }));
      expect(answered.status).toBe(429);
      expect(answered.headers['retry-after']).toBe('7');
      expect(errorIn(client, answered.text)).toMatchObject({
        message: 'Try again in 7s.',
        ...(WITH_CODES.has(client) && { code: 'rate_limit_exceeded' }),
      });
      expect(await gateway.report()).toMatchObject({ status: 429, error: expect.stringContaining('Try again') });
    });

    test("gets the server's message about the key, without the key", async () => {
      const { answered } = await exchange(fault.status(401, { error: { message: `Bad key ${SECRET}` } }));
      expect(answered.status).toBe(401);
      expect(errorIn(client, answered.text)).toMatchObject({
        message: 'Bad key [redacted]',
        ...(WITH_CODES.has(client) && { code: 'upstream_auth' }),
      });
    });
  });

  test('is notified of a failure in the middle of a stream, without the key in it', async () => {
    const failed = { code: 'context_length_exceeded', message: `Too long, ${SECRET}` };
    const { gateway } = await setUp(server, reply(say('So far'), { failed }));
    const answered = await ask(`${gateway.url}${PATHS[client]}`, requestFor(client, { stream: true }));
    expect(answered.status).toBe(200);
    expect(failureIn(client, answered.text)).toMatchObject({
      message: expect.stringContaining('Too long'),
      ...(WITH_CODES.has(client) && { code: 'context_length_exceeded' }),
    });
    expect(answered.text).toContain('far');
    expect(answered.text).not.toContain(SECRET);
    expect(await gateway.report()).toMatchObject({ status: 200, error: expect.stringContaining('context_length') });
  });

  test('is notified of a connection that breaks in the middle of a stream', async () => {
    const { gateway } = await setUp(server, fault.cut(reply(say('Words without end. '.repeat(40))), 1500));
    const answered = await ask(`${gateway.url}${PATHS[client]}`, requestFor(client, { stream: true }));
    expect(failureIn(client, answered.text)).toMatchObject({
      message: expect.stringMatching(/./),
      ...(WITH_CODES.has(client) && { code: 'stream_closed' }),
    });
  });
});

/** Returns the failure that the last event of a stream reports. */
function failureIn(client: TestedWire, text: string): unknown {
  const last = eventsIn(text).at(-1) ?? {};
  if (client === 'responses') {
    expect(last.type).toBe('response.failed');
    return (last.response as { readonly error: unknown }).error;
  }
  return errorIn(client, JSON.stringify(last));
}
