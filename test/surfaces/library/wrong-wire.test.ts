import { expect, test } from 'vitest';
import { fault } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const sse = (...frames: readonly object[]) => frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('');

const CHAT = {
  stream: `${sse({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'hi' } }] })}data: [DONE]\n\n`,
  whole: { id: 'c', object: 'chat.completion', choices: [{ index: 0, message: { role: 'assistant', content: 'hi' } }] },
};

const RESPONSE = { id: 'r', object: 'response', status: 'completed', output: [{ type: 'message', content: [] }] };
const RESPONSES = {
  stream: sse(
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_text.delta', delta: 'hi' },
    { type: 'response.completed', response: RESPONSE },
  ),
  whole: RESPONSE,
};

const MESSAGE = { id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }] };
const MESSAGES = {
  stream: sse(
    { type: 'message_start', message: { ...MESSAGE, content: [], usage: { input_tokens: 1 } } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ),
  whole: MESSAGE,
};

test.each([
  ['responses', 'chat', CHAT, /Set wire_api = "chat"/],
  ['responses', 'messages', MESSAGES, /Set wire_api = "messages"/],
  ['chat', 'responses', RESPONSES, /Set wire_api = "responses"/],
  ['chat', 'messages', MESSAGES, /Set wire_api = "messages"/],
] as const)(
  'on the %s wire, an answer of the %s protocol is named and not requested again',
  async (wire, _, answer, said) => {
    const answers = [
      fault.status(200, answer.stream, { 'content-type': 'text/event-stream' }),
      fault.status(200, answer.whole, { 'content-type': 'application/json' }),
    ];
    for (const given of answers) {
      const s = await libraryScene(() => given, { model_providers: { scripted: { wire_api: wire } } });
      const thread = await s.agent.startThread(s.threadOptions());
      const { error } = await thread.run('go');
      expect(error?.message).toMatch(said);
      expect(error?.code).toBe('invalid_response');
      expect(s.model.requests).toHaveLength(1);
      await thread.close();
    }
  },
);
