/** The frames of an answer that is only a text, on one wire. */
export interface TextFrames {
  /** Content type of a stream. */
  readonly type: string;
  /** The frames before the first piece of text. */
  readonly begin: string;
  readonly say: (text: string) => string;
  /** Returns the end of an answer with this text. */
  readonly end: (text: string) => string;
  /** The frames before the first piece of reasoning. */
  readonly beginThinking: string;
  readonly think: (text: string) => string;
  /** Returns the answer in one piece. */
  readonly whole: (text: string) => object;
}

/** Returns the frames of the wire whose servers are asked at this path. */
export function textFramesAt(path: string): TextFrames {
  const found = FRAMES.find(([end]) => path.endsWith(end));
  if (found === undefined) throw new Error(`No wire has the path ${path}.`);
  return found[1];
}

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const CHUNK = { id: 'c1', created: 1, model: 'm' };
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

const CHAT: TextFrames = {
  type: 'text/event-stream',
  begin: chunk({ role: 'assistant', content: '' }),
  say: (content) => chunk({ content }),
  end: () => `${chunk({}, 'stop')}data: [DONE]\n\n`,
  beginThinking: chunk({ role: 'assistant', content: '' }),
  think: (reasoning_content) => chunk({ reasoning_content }),
  whole(content) {
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    return { ...CHUNK, object: 'chat.completion', choices: [choice] };
  },
};

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
const CREATED = event('response.created', { response: { ...RESPONSE, status: 'in_progress', output: [] } });
const ITEM = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const PLACE = { item_id: ITEM.id, output_index: 0, content_index: 0 };
const added = (item: object) => event('response.output_item.added', { output_index: 0, item });
const doneItem = (text: string) => ({ ...ITEM, content: [{ type: 'output_text', text, annotations: [] }] });
const completed = (text: string) => ({ ...RESPONSE, status: 'completed', output: [doneItem(text)] });

const RESPONSES: TextFrames = {
  type: 'text/event-stream',
  begin: CREATED + added({ ...ITEM, content: [] }),
  say: (delta) => event('response.output_text.delta', { ...PLACE, delta }),
  end: (text) =>
    event('response.output_item.done', { output_index: 0, item: doneItem(text) }) +
    event('response.completed', { response: completed(text) }),
  beginThinking: CREATED + added({ type: 'reasoning', id: ITEM.id, summary: [], content: [] }),
  think: (delta) => event('response.reasoning_text.delta', { ...PLACE, delta }),
  whole: completed,
};

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
const started = (content_block: object) =>
  event('message_start', { message: MESSAGE }) + event('content_block_start', { index: 0, content_block });
const piece = (delta: object) => event('content_block_delta', { index: 0, delta });

const MESSAGES: TextFrames = {
  type: 'text/event-stream',
  begin: started({ type: 'text', text: '' }),
  say: (text) => piece({ type: 'text_delta', text }),
  end: () =>
    event('content_block_stop', { index: 0 }) +
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }) +
    event('message_stop', {}),
  beginThinking: started({ type: 'thinking', thinking: '', signature: '' }),
  think: (thinking) => piece({ type: 'thinking_delta', thinking }),
  whole: (text) => ({
    ...MESSAGE,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 5 },
  }),
};

const line = (message: object, more: object = { done: false }) => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  ...more,
});
const written = (value: object) => `${JSON.stringify(value)}\n`;
const DONE = { done: true, done_reason: 'stop' };

const OLLAMA: TextFrames = {
  type: 'application/x-ndjson',
  begin: '',
  say: (content) => written(line({ content })),
  end: () => written(line({}, DONE)),
  beginThinking: '',
  think: (thinking) => written(line({ thinking })),
  whole: (content) => line({ content }, DONE),
};

/** The wires by the ends of their paths. */
const FRAMES: readonly (readonly [path: string, frames: TextFrames])[] = [
  ['/chat/completions', CHAT],
  ['/responses', RESPONSES],
  ['/messages', MESSAGES],
  ['/chat', OLLAMA],
];
