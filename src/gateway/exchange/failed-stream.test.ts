import { describe, expect, onTestFinished, test } from 'vitest';
import { fault, startScriptedModel } from '../../testing/index.ts';
import { eventsIn, PATHS, requestFor } from '../test-answer.ts';
import { ask, startTestGateway } from '../test-gateway.ts';

const TOO_LONG = {
  error: { message: "This model's maximum context length is 100 tokens.", code: 'context_length_exceeded' },
};

async function start(server: 'chat' | 'responses', refusal: object) {
  const model = await startScriptedModel(() => fault.status(400, refusal));
  onTestFinished(() => model.close());
  return startTestGateway(model.url, { wire: server });
}

describe('a request that is too long for the model', () => {
  test.each(['chat', 'responses'] as const)(
    'is reported inside a stream of the Responses wire, for a %s server',
    async (server) => {
      const { url, report } = await start(server, TOO_LONG);
      const { status, headers, text } = await ask(`${url}/v1/responses`, requestFor('responses', { stream: true }));
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
      const events = eventsIn(text);
      expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
      expect(events.at(-1)?.response).toMatchObject({
        status: 'failed',
        model: 'alias',
        error: { code: 'context_length_exceeded', message: expect.stringContaining('context') },
      });
      expect(await report()).toMatchObject({ status: 200, error: expect.stringContaining('context_length_exceeded') });
    },
  );

  test.each([
    { client: 'responses', stream: false },
    { client: 'chat', stream: false },
    { client: 'chat', stream: true },
  ] as const)('is a status for other clients ($client, stream: $stream)', async ({ client, stream }) => {
    const { url } = await start('chat', TOO_LONG);
    const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream }));
    expect(status).toBe(400);
    expect(JSON.parse(text).error.code).toBe('context_length_exceeded');
  });
});

test('any other refusal is a status, in a stream too', async () => {
  const { url } = await start('chat', { error: { message: 'The tools are too many.' } });
  const { status } = await ask(`${url}/v1/responses`, requestFor('responses', { stream: true }));
  expect(status).toBe(400);
});
