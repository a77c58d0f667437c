import { isRecord } from '../../../../src/base/json-schema.ts';
import type { Answered } from '../../../../src/gateway/test-gateway.ts';
import { sse } from '../../../../src/wire/framing/sse.ts';
import type { Call } from './call-answer.ts';
import type { Pair } from './pairs.ts';

/** An answer as an agent understands it. */
export interface Judged {
  /** `refused`: the client got an error status instead of an answer. */
  readonly end: 'completed' | 'incomplete' | 'failed' | 'refused';
  /** Calls that an agent would run. */
  readonly calls: readonly Call[];
  readonly text: string;
  /** Code of a failure. */
  readonly code: unknown;
  readonly message: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads an answer more strictly than any client. Throws when its wire does not allow it, or when it repeats a call. */
export function judgeAnswer({ client, stream }: Pick<Pair, 'client' | 'stream'>, answer: Answered): Judged {
  const { status, headers, text } = answer;
  const type = headers['content-type'] ?? '';
  const judge = JUDGES[client];
  if (status !== 200) return { end: 'refused', calls: [], text: '', ...judge.error(fields(JSON.parse(text))) };
  assert(type.startsWith(stream ? judge.type : 'application/json'), `the type ${type}`);
  const judged = stream ? judge.stream(text) : judge.body(fields(JSON.parse(text)));
  const ids = judged.calls.map(({ id }) => id);
  assert(new Set(ids).size === ids.length, 'a call twice');
  return judged;
}

function assert(holds: boolean, wrong: string): asserts holds {
  if (!holds) throw new Error(`The answer has ${wrong}.`);
}

function fields(value: unknown): Fields {
  assert(isRecord(value), `${JSON.stringify(value)} where an object belongs`);
  return value;
}

function list(value: unknown): readonly Fields[] {
  assert(Array.isArray(value), `${JSON.stringify(value)} where a list belongs`);
  return value.map(fields);
}

/** The reader of one wire. */
interface Judge {
  /** Content type of a stream. */
  readonly type: string;
  readonly stream: (text: string) => Judged;
  readonly body: (body: Fields) => Judged;
  readonly error: (body: Fields) => Pick<Judged, 'code' | 'message'>;
}

const JUDGES: Readonly<Record<Pair['client'], Judge>> = {
  responses: {
    type: 'text/event-stream',
    stream: (text) => judgeEvents(framesIn(text)),
    body: judgeResponse,
    error: errorOf,
  },
  chat: {
    type: 'text/event-stream',
    stream: (text) => judgeChunks(framesIn(text).map(({ data }) => data)),
    body: judgeCompletion,
    error: errorOf,
  },
  messages: {
    type: 'text/event-stream',
    stream: (text) => judgeBlocks(framesIn(text)),
    body: judgeMessage,
    error: messagesError,
  },
  ollama: {
    type: 'application/x-ndjson',
    stream: (text) => judgeLines(text),
    body: (body) => judgeLines(`${JSON.stringify(body)}\n`),
    error: ollamaError,
  },
};

function errorOf(body: Fields): { readonly code: unknown; readonly message: string } {
  const { message, type, param, code } = fields(body.error);
  assert(typeof message === 'string' && message !== '', 'an error without a message');
  assert(typeof type === 'string', 'an error without a type');
  assert(param === null || typeof param === 'string', 'an error without a param');
  return { code, message };
}

const NO_ERROR = { code: undefined, message: '' };

function framesIn(text: string): readonly TextFrame[] {
  assert(text.endsWith('\n\n'), 'no end of its last frame');
  const reader = sse.createReader();
  return [...reader.push(Buffer.from(text)), ...reader.end()];
}

interface TextFrame {
  readonly event?: string;
  readonly data: string;
}

const ENDS: Readonly<Record<string, Judged['end']>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

function eventsIn(frames: readonly TextFrame[]): readonly Fields[] {
  return frames.map(({ event, data }) => {
    const value = fields(JSON.parse(data));
    assert(value.type === event, `an event ${event} of the type ${String(value.type)}`);
    return value;
  });
}

function judgeEvents(frames: readonly TextFrame[]): Judged {
  const events = eventsIn(frames);
  const ends = events.filter(({ type }) => ENDS[String(type)] !== undefined);
  const last = events.at(-1);
  assert(ends.length === 1 && ends[0] === last, `${ends.length} ends`);
  const numbers = events.flatMap(({ sequence_number: number }) => (typeof number === 'number' ? [number] : []));
  const fallen = numbers.find((number, n) => number < (numbers[n - 1] ?? 0));
  assert(fallen === undefined, `the number ${fallen} after a higher one`);
  const end = ENDS[String(last?.type)] ?? 'failed';
  const response = fields(last?.response);
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => fields(item));
  const calls = callsIn(done);
  if (end === 'failed') return { end, calls, text: textIn(done), ...failureOf(response) };
  assert(JSON.stringify(callsIn(list(response.output))) === JSON.stringify(calls), 'other calls at its end');
  return { end, calls, text: textIn(done), ...NO_ERROR };
}

function failureOf(response: Fields): { readonly code: unknown; readonly message: string } {
  const { code, message } = fields(response.error);
  assert(typeof code === 'string' && typeof message === 'string' && message !== '', 'a failure without a reason');
  return { code, message };
}

function callsIn(items: readonly Fields[]): readonly Call[] {
  return items
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: args }) => ({ id: String(call_id), name: String(name), args: String(args) }));
}

function textIn(items: readonly Fields[]): string {
  const messages = items.filter(({ type }) => type === 'message');
  return messages.flatMap(({ content }) => list(content).map((part) => String(part.text))).join('');
}

function judgeChunks(data: readonly string[]): Judged {
  const isMarked = data.at(-1) === '[DONE]';
  const chunks = (isMarked ? data.slice(0, -1) : data).map((text) => fields(JSON.parse(text)));
  const failed = chunks.findIndex(({ error }) => error !== undefined && error !== null);
  const { calls, text, finish } = assembled(failed < 0 ? chunks : chunks.slice(0, failed));
  if (failed >= 0) {
    assert(failed === chunks.length - 1, 'something after its error');
    assert(finish === undefined, 'an error after its end');
    return { end: 'failed', calls: [], text, ...errorOf(fields(chunks[failed])) };
  }
  assert(isMarked && finish !== undefined, 'no end');
  const isCut = finish === 'length' || finish === 'content_filter';
  return { end: isCut ? 'incomplete' : 'completed', calls: isCut ? [] : calls, text, ...NO_ERROR };
}

function assembled(chunks: readonly Fields[]) {
  const calls: { id: string; name: string; args: string }[] = [];
  let text = '';
  let finish: unknown;
  for (const chunk of chunks) {
    const [choice] = list(chunk.choices);
    if (choice === undefined) continue;
    assert(finish === undefined, 'a delta after its end');
    if (choice.finish_reason !== null && choice.finish_reason !== undefined) finish = choice.finish_reason;
    const delta = fields(choice.delta);
    text += typeof delta.content === 'string' ? delta.content : '';
    for (const piece of list(delta.tool_calls ?? [])) {
      const call = calls[Number(piece.index)] ?? { id: '', name: '', args: '' };
      calls[Number(piece.index)] = call;
      const { name, arguments: args } = fields(piece.function);
      call.id += String(piece.id ?? '');
      call.name += String(name ?? '');
      call.args += String(args ?? '');
    }
  }
  return { calls, text, finish };
}

function judgeCompletion(body: Fields): Judged {
  const [choice] = list(body.choices);
  const { content, tool_calls } = fields(choice?.message);
  const calls = list(tool_calls ?? []).map((call) => {
    const { name, arguments: args } = fields(call.function);
    return { id: String(call.id), name: String(name), args: String(args) };
  });
  const isCut = choice?.finish_reason === 'length' || choice?.finish_reason === 'content_filter';
  const text = String(content ?? '');
  return { end: isCut ? 'incomplete' : 'completed', calls: isCut ? [] : calls, text, ...NO_ERROR };
}

function judgeResponse(body: Fields): Judged {
  const items = list(body.output);
  const end = ENDS[`response.${String(body.status)}`];
  assert(end !== undefined, `the status ${String(body.status)}`);
  if (end === 'failed') return { end, calls: [], text: textIn(items), ...failureOf(body) };
  return { end, calls: callsIn(items), text: textIn(items), ...NO_ERROR };
}

function messagesError(body: Fields): Pick<Judged, 'code' | 'message'> {
  assert(body.type === 'error', 'an error that does not say so');
  const { type, message, details } = fields(body.error);
  assert(typeof type === 'string' && typeof message === 'string' && message !== '', 'an error without a reason');
  return { code: isRecord(details) ? details.error_code : null, message };
}

/** Reads the events of a message. A client adds a piece to the block with its number, which must be the open one. */
function judgeBlocks(frames: readonly TextFrame[]): Judged {
  const events = eventsIn(frames).filter(({ type }) => type !== 'ping');
  const blocks: Record<string, unknown>[] = [];
  let open: number | undefined;
  let stop: unknown;
  for (const [n, event] of events.entries()) {
    assert(n > 0 || event.type === 'message_start' || event.type === 'error', `${String(event.type)} first`);
    if (event.type === 'error') {
      assert(n === events.length - 1, 'something after its error');
      const whole = blocks.filter((_, at) => at !== open);
      return { ...judgedBlocks(whole), end: 'failed', ...messagesError(event) };
    }
    if (event.type === 'content_block_start') {
      assert(open === undefined && event.index === blocks.length, `a block ${String(event.index)} too early`);
      open = blocks.push({ ...fields(event.content_block), json: '' }) - 1;
    } else if (event.type === 'content_block_delta') {
      assert(event.index === open, `a piece of the block ${String(event.index)}`);
      addPiece(blocks[open ?? 0] ?? {}, fields(event.delta));
    } else if (event.type === 'content_block_stop') {
      assert(event.index === open, `the end of the block ${String(event.index)}`);
      open = undefined;
    } else if (event.type === 'message_delta') stop = fields(event.delta).stop_reason;
  }
  assert(events.at(-1)?.type === 'message_stop' && open === undefined && stop !== undefined, 'no end');
  return ended(stop, judgedBlocks(blocks));
}

function addPiece(block: Record<string, unknown>, delta: Fields): void {
  if (delta.type === 'text_delta') block.text = `${String(block.text)}${String(delta.text)}`;
  if (delta.type === 'input_json_delta') block.json = `${String(block.json)}${String(delta.partial_json)}`;
}

function judgedBlocks(blocks: readonly Fields[]): Pick<Judged, 'calls' | 'text' | 'code' | 'message'> {
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, json }) => ({ id: String(id), name: String(name), args: String(json) || '{}' }));
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => String(text));
  return { calls, text: texts.join(''), ...NO_ERROR };
}

function judgeMessage(body: Fields): Judged {
  const blocks = list(body.content).map((block) => ({ ...block, json: JSON.stringify(block.input) }));
  return ended(body.stop_reason, judgedBlocks(blocks));
}

/** Returns a message with its end. A call of a message that was cut off may be cut off too. */
function ended(stop: unknown, said: Omit<Judged, 'end'>): Judged {
  const isCut = stop === 'max_tokens' || stop === 'refusal';
  return { ...said, end: isCut ? 'incomplete' : 'completed', calls: isCut ? [] : said.calls };
}

/** Returns the error of a wire without codes. */
function ollamaError({ error }: Fields): Pick<Judged, 'code' | 'message'> {
  assert(typeof error === 'string' && error !== '', 'an error without a message');
  return { code: null, message: error };
}

function judgeLines(text: string): Judged {
  assert(text.endsWith('\n'), 'no end of its last line');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => fields(JSON.parse(line)));
  const last = lines.at(-1) ?? {};
  const messages = lines.map(({ message }) => (isRecord(message) ? message : {}));
  const said = messages.map(({ content }) => String(content ?? '')).join('');
  const calls = messages.flatMap(({ tool_calls }) =>
    list(tool_calls ?? []).map(({ id, function: form }) => {
      const { name, arguments: args } = fields(form);
      return { id: String(id), name: String(name), args: JSON.stringify(args) };
    }),
  );
  if (last.error !== undefined) return { end: 'failed', calls, text: said, ...ollamaError(last) };
  assert(last.done === true, 'no end');
  const isCut = last.done_reason === 'length' || last.done_reason === 'content_filter';
  return { end: isCut ? 'incomplete' : 'completed', calls: isCut ? [] : calls, text: said, ...NO_ERROR };
}
