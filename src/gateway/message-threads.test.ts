import { expect, onTestFinished, test } from 'vitest';
import { reply, say, startScriptedModel } from '../testing/index.ts';
import { requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

async function scene(wire: 'messages' | 'chat') {
  const model = await startScriptedModel(() => reply(say('Hello.')));
  onTestFinished(() => model.close());
  const { url } = await startTestGateway(model.url, { wire });
  const send = (fields: object) => ask(`${url}/v1/messages`, requestFor('messages', fields));
  return { model, send };
}

test.each(['messages', 'chat'] as const)(
  'a client that lets the server keep its messages is made to send them all (%s server)',
  async (wire) => {
    const { model, send } = await scene(wire);
    for (const stream of [true, false]) {
      const begun = await send({ stream, thread: { type: 'create' } });
      expect(begun.status).toBe(200);
      const continued = await send({ stream, thread: { type: 'continue', previous_message_id: 'msg_1' } });
      expect(continued.status).toBe(404);
      expect(JSON.parse(continued.text)).toMatchObject({
        type: 'error',
        error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } },
      });
    }
    expect(model.requests.map(({ body }) => body.thread)).toEqual([undefined, undefined]);
  },
);
