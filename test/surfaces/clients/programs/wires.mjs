/**
 * The wires of the servers, each with its own words for the same things: the offered tools, the calls and the outputs
 * in a history, and the frames of an answer.
 */
export const WIRES = {
  chat: {
    base: '/v1',
    path: '/chat/completions',
    contentType: 'text/event-stream',
    offers: ({ tools = [] }) => tools.map((tool) => tool.function),
    calls: ({ messages }) =>
      messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id, function: { name } }) => ({ id, name }))),
    outputs: ({ messages }) =>
      messages
        .filter(({ role }) => role === 'tool')
        .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: textOf(content) })),
    speak: (calls) => [...callChunks(calls), chunk({}, 'tool_calls')],
    tell: (text) => [...words(text).map((content) => chunk({ content })), chunk({}, 'stop')],
    stream: (chunks, { model }) => [
      ...chunks.map((one) => sse(JSON.stringify({ ...CHUNK, model, ...one }))),
      sse(JSON.stringify({ ...CHUNK, choices: [], usage: CHAT_USAGE })),
      sse('[DONE]'),
    ],
  },
  messages: {
    base: '/v1',
    path: '/messages',
    contentType: 'text/event-stream',
    offers: ({ tools = [] }) => tools.map(({ name, input_schema }) => ({ name, parameters: input_schema })),
    calls: ({ messages }) => blocks(messages, 'tool_use').map(({ id, name }) => ({ id, name })),
    outputs: ({ messages }) =>
      blocks(messages, 'tool_result').map(({ tool_use_id, content }) => ({ id: tool_use_id, text: textOf(content) })),
    speak: (calls) => inBlocks(calls.map(toolBlock), 'tool_use'),
    tell: (text) => inBlocks([textBlock(text)], 'end_turn'),
    stream: (events, { model }) =>
      [{ type: 'message_start', message: { ...MESSAGE, model } }, ...events].map((event) =>
        sse(JSON.stringify(event), event.type),
      ),
  },
  ollama: {
    base: '/api',
    path: '/chat',
    contentType: 'application/x-ndjson',
    offers: ({ tools = [] }) => tools.map((tool) => tool.function),
    calls: ({ messages }) =>
      messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ function: { name } }) => ({ name }))),
    outputs: ({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ content }) => ({ text: textOf(content) })),
    speak: (calls) => [
      part({ tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })) }),
      LAST_PART,
    ],
    tell: (text) => [...words(text).map((content) => part({ content })), LAST_PART],
    stream: (parts, { model }) =>
      parts.map((one) => `${JSON.stringify({ model, created_at: '2026-01-01T00:00:00Z', ...one })}\n`),
  },
};

const CHUNK = { id: 'chatcmpl-check', object: 'chat.completion.chunk', created: 1_760_000_000 };
const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const MESSAGE = {
  id: 'msg_check',
  type: 'message',
  role: 'assistant',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 1 },
};
/** The last line of the Ollama wire. */
export const LAST_PART = { ...part({}), done: true, done_reason: 'stop', prompt_eval_count: 100, eval_count: 20 };

/** Returns a chunk of the chat wire, without the fields that all chunks have. */
export function chunk(delta, finish_reason = null) {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

/** Returns the calls in one chunk each, with all of their arguments. `index` maps the number of a call to its index. */
export function callChunks(calls, index = (n) => n) {
  return calls.map(({ id, name, args }, n) =>
    chunk({
      tool_calls: [{ index: index(n), id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    }),
  );
}

/** Returns the events of a message: its blocks, each with its deltas, and the reason for which it stops. */
export function inBlocks(given, stop_reason) {
  return [
    ...given.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
    { type: 'message_stop' },
  ];
}

export function textBlock(text) {
  return { start: { type: 'text', text: '' }, deltas: words(text).map((one) => ({ type: 'text_delta', text: one })) };
}

export function toolBlock({ id, name, args }) {
  const pieces = JSON.stringify(args).match(/.{1,16}/gs);
  return {
    start: { type: 'tool_use', id, name, input: {} },
    deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

export function thinkingBlock(thinking, signature) {
  const texts = words(thinking).map((text) => ({ type: 'thinking_delta', thinking: text }));
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...texts, { type: 'signature_delta', signature }],
  };
}

/** Returns a line of the Ollama wire, without the fields that all lines have. */
export function part(message) {
  return { message: { role: 'assistant', content: '', ...message }, done: false };
}

export function words(text) {
  return text.split(/(?<= )/);
}

function blocks(messages, type) {
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter((one) => one.type === type) : []));
}

function sse(data, event) {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

function textOf(content) {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
