import { isWholeBody, type Pair, type WireName } from './pairs.ts';

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** An answer with a text and two calls, as a server sends it. */
export interface CallAnswer {
  readonly type: string;
  readonly bytes: Buffer;
  /** For each call, the byte after which its name is known, and the byte after which all of its arguments are. */
  readonly marks: readonly { readonly begun: number; readonly finished: number }[];
  /** The byte after which only parts are missing that a client can do without. */
  readonly complete: number;
}

export const CALLS: readonly Call[] = [
  { id: 'call_a', name: 'weather', args: '{"city":"Zürich 🌍\\n","x":"\\"}"}' },
  { id: 'call_b', name: 'weather', args: '{"city":"Lima","x":[1,{}]}' },
];

const TEXT = ['I look ', 'at “both”.'];

export function callAnswer(pair: Pair): CallAnswer {
  if (isWholeBody(pair)) return WHOLE[pair.server];
  return STREAMS[pair.server];
}

/** Cuts a text into pieces, never inside a character. */
function pieces(text: string, size: number): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, n) => characters.slice(n * size, (n + 1) * size).join(''));
}

/** A frame and the call that it completes. */
interface Said {
  readonly frame: string;
  readonly begins?: number;
  /** The call whose last arguments are in this frame. */
  readonly finishes?: number;
  readonly completes?: boolean;
}

function toAnswer(said: readonly Said[], type = 'text/event-stream'): CallAnswer {
  const marks = CALLS.map(() => ({ begun: 0, finished: 0 }));
  let complete = 0;
  let text = '';
  for (const { frame, begins, finishes, completes } of said) {
    const before = Buffer.byteLength(text);
    const begun = begins === undefined ? undefined : marks[begins];
    if (begun) begun.begun = before + afterLast(frame, '"name":"weather"');
    const finished = finishes === undefined ? undefined : marks[finishes];
    if (finished) finished.finished = before + afterLast(frame, frame.includes('"arguments":{') ? '}}' : '}"');
    text += frame;
    if (completes) complete = Buffer.byteLength(text.trimEnd());
  }
  return { type, bytes: Buffer.from(text), marks, complete };
}

function afterLast(frame: string, part: string): number {
  const at = frame.lastIndexOf(part);
  if (at < 0) throw new Error(`${part} is not in ${frame}`);
  return Buffer.byteLength(frame.slice(0, at + part.length));
}

function chatStream(): CallAnswer {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const calls = CALLS.flatMap(({ id, name, args }, index): Said[] => [
    {
      frame: chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      begins: index,
    },
    ...pieces(args, 24).map((piece, n, all) => ({
      frame: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ...(n === all.length - 1 && { finishes: index }),
    })),
  ]);
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  return toAnswer([
    { frame: chunk({ role: 'assistant', content: '' }) },
    ...TEXT.map((content) => ({ frame: chunk({ content }) })),
    ...calls,
    { frame: chunk({}, 'tool_calls'), completes: true },
    { frame: `data: ${JSON.stringify({ id: 'c1', choices: [], usage })}\n\n` },
    { frame: 'data: [DONE]\n\n' },
  ]);
}

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' };
const USAGE = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };

function message(text: string, status: string) {
  const content = text === '' ? [] : [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status, content };
}

function callItem({ id, name, args }: Call, status: string) {
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: args, status };
}

const OUTPUT = [message(TEXT.join(''), 'completed'), ...CALLS.map((call) => callItem(call, 'completed'))];

interface ResponsesEvent extends Omit<Said, 'frame'> {
  readonly type: string;
  readonly fields: object;
}

function responsesStream(): CallAnswer {
  const item = (what: string, output_index: number, value: object): ResponsesEvent => ({
    type: `response.output_item.${what}`,
    fields: { output_index, item: value },
  });
  const text = TEXT.map((delta) => ({
    type: 'response.output_text.delta',
    fields: { item_id: 'msg_1', output_index: 0, content_index: 0, delta },
  }));
  const said = (call: Call, n: number): ResponsesEvent[] => {
    const at = { item_id: `fc_${call.id}`, output_index: n + 1 };
    const deltas = pieces(call.args, 24).map((delta, i, all) => ({
      type: 'response.function_call_arguments.delta',
      fields: { ...at, delta },
      ...(i === all.length - 1 && { finishes: n }),
    }));
    return [
      { ...item('added', n + 1, callItem({ ...call, args: '' }, 'in_progress')), begins: n },
      ...deltas,
      { type: 'response.function_call_arguments.done', fields: { ...at, arguments: call.args } },
      item('done', n + 1, callItem(call, 'completed')),
    ];
  };
  const announced = { ...RESPONSE, status: 'in_progress', output: [] };
  const completed = { ...RESPONSE, status: 'completed', output: OUTPUT, usage: USAGE };
  const events: readonly ResponsesEvent[] = [
    { type: 'response.created', fields: { response: announced } },
    item('added', 0, message('', 'in_progress')),
    ...text,
    item('done', 0, message(TEXT.join(''), 'completed')),
    ...CALLS.flatMap(said),
    { type: 'response.completed', fields: { response: completed }, completes: true },
  ];
  return toAnswer(
    events.map(({ type, fields, ...marks }, sequence_number) => ({
      ...marks,
      frame: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number })}\n\n`,
    })),
  );
}

function messagesStream(): CallAnswer {
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const block = (index: number, content_block: object, deltas: readonly object[]): Said[] => [
    { frame: event('content_block_start', { index, content_block }) },
    ...deltas.map((delta) => ({ frame: event('content_block_delta', { index, delta }) })),
    { frame: event('content_block_stop', { index }) },
  ];
  const text = TEXT.map((text) => ({ type: 'text_delta', text }));
  const calls = CALLS.flatMap(({ id, name, args }, n): Said[] => {
    const deltas = pieces(args, 24).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    const frames = block(n + 1, { type: 'tool_use', id, name, input: {} }, deltas);
    return frames.map((said, at) => ({
      ...said,
      ...(at === 0 && { begins: n }),
      ...(at === frames.length - 2 && { finishes: n }),
    }));
  });
  return toAnswer([
    { frame: event('message_start', { message: { ...MESSAGE, content: [], stop_reason: null } }) },
    ...block(0, { type: 'text', text: '' }, text),
    ...calls,
    {
      frame: event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: MESSAGE.usage }),
      completes: true,
    },
    { frame: event('message_stop', {}) },
  ]);
}

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  usage: { input_tokens: 7, output_tokens: 5 },
};

function wholeMessage(): object {
  const calls = CALLS.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: JSON.parse(args) as unknown }));
  const content = [{ type: 'text', text: TEXT.join('') }, ...calls];
  return { ...MESSAGE, content, stop_reason: 'tool_use', stop_sequence: null };
}

const LINE = { model: 'm', created_at: '2026-01-01T00:00:00Z' };
const OLLAMA_CALLS = CALLS.map(({ id, name, args }) => ({
  id,
  function: { name, arguments: JSON.parse(args) as unknown },
}));
const LAST_LINE = { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 5 };

function ollamaStream(): CallAnswer {
  const line = (message: object, more: object = { done: false }) =>
    `${JSON.stringify({ ...LINE, message: { role: 'assistant', content: '', ...message }, ...more })}\n`;
  return toAnswer(
    [
      ...TEXT.map((content) => ({ frame: line({ content }) })),
      ...OLLAMA_CALLS.map((call, n) => ({ frame: line({ tool_calls: [call] }), begins: n, finishes: n })),
      { frame: line({}, LAST_LINE), completes: true },
    ],
    'application/x-ndjson',
  );
}

/** Returns an answer in one piece, which says nothing before its last byte. */
function whole(value: object): CallAnswer {
  const bytes = Buffer.from(JSON.stringify(value));
  const finished = bytes.byteLength;
  return {
    type: 'application/json',
    bytes,
    marks: CALLS.map(() => ({ begun: finished, finished })),
    complete: finished,
  };
}

function completion(): object {
  const tool_calls = CALLS.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } }));
  const choice = {
    index: 0,
    message: { role: 'assistant', content: TEXT.join(''), tool_calls },
    finish_reason: 'tool_calls',
  };
  return { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices: [choice] };
}

const STREAMS: Readonly<Record<WireName, CallAnswer>> = {
  chat: chatStream(),
  responses: responsesStream(),
  messages: messagesStream(),
  ollama: ollamaStream(),
};
const WHOLE: Readonly<Record<WireName, CallAnswer>> = {
  chat: whole(completion()),
  responses: whole({ ...RESPONSE, status: 'completed', output: OUTPUT, usage: USAGE }),
  messages: whole(wholeMessage()),
  ollama: whole({
    ...LINE,
    message: { role: 'assistant', content: TEXT.join(''), tool_calls: OLLAMA_CALLS },
    ...LAST_LINE,
  }),
};
