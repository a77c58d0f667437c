import { expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

/** Returns the model that a client of the messages wire reads in the answer of a server of the same wire. */
async function answeredModel(asked: string, stream: boolean): Promise<unknown> {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'real-model-2026', usage: {} };
  const begun = { type: 'message_start', message: { ...message, content: [], stop_reason: null } };
  const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
  const server = await startServer((response) => {
    const content = [{ type: 'text', text: 'Hello' }];
    if (!stream) return sendJson(response, 200, { ...message, content, stop_reason: 'end_turn' });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = [
      begun,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      ended,
      { type: 'message_stop' },
    ];
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  });
  const { url } = await startTestGateway(server.url, { wire: 'messages' });
  const { text } = await ask(`${url}/v1/messages`, requestFor('messages', { stream, model: asked }));
  const answer = stream ? eventsIn(text).find(({ type }) => type === 'message_start')?.message : JSON.parse(text);
  return (answer as { readonly model?: string }).model;
}

// Clients of this wire leave the reasoning of a model with another name out of their next request.
test.each([true, false])(
  'an answer names the model that was asked for, where the server has another name (stream: %s)',
  async (stream) => {
    expect(await answeredModel('alias', stream)).toBe('alias');
    expect(await answeredModel('real-model', stream)).toBe('real-model-2026');
  },
);
