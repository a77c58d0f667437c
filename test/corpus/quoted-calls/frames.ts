import type { Frame } from '../../../src/base/wire.ts';

export type TextWire = 'chat' | 'responses';

/** Returns the frames of a healthy answer that is only a text, in these pieces. */
export function framesOf(wire: TextWire, pieces: readonly string[]): readonly Frame[] {
  return wire === 'chat' ? chatFrames(pieces) : responsesFrames(pieces);
}

function chatFrames(pieces: readonly string[]): readonly Frame[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'some-model',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [chunk({ role: 'assistant', content: '' }), ...pieces.map((content) => chunk({ content }))];
  return [...[...chunks, chunk({}, 'stop')].map((json) => ({ data: JSON.stringify(json) })), { data: '[DONE]' }];
}

function responsesFrames(pieces: readonly string[]): readonly Frame[] {
  const text = pieces.join('');
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const item = { id: 'msg_1', type: 'message', role: 'assistant' };
  const part = { type: 'output_text', text, annotations: [] };
  const done = { ...item, status: 'completed', content: [part] };
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'some-model' };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [done] } },
  ];
  return events.map((event, n) => ({ event: event.type, data: JSON.stringify({ ...event, sequence_number: n }) }));
}
