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
};

const CHUNK = { id: 'chatcmpl-check', object: 'chat.completion.chunk', created: 1_760_000_000 };
const CHAT_USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

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

export function words(text) {
  return text.split(/(?<= )/);
}

function sse(data, event) {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}

function textOf(content) {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
