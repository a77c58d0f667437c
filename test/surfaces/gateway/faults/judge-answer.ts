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
  if (status !== 200) return refusal(JSON.parse(text));
  assert(type.startsWith(stream ? 'text/event-stream' : 'application/json'), `the type ${type}`);
  const judged = stream ? judgeStream(client, text) : judgeBody(client, JSON.parse(text));
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

/** Returns the error in the shape that clients of both wires know. */
function refusal(body: unknown): Judged {
  return { end: 'refused', calls: [], text: '', ...errorOf(fields(body)) };
}

function errorOf(body: Fields): { readonly code: unknown; readonly message: string } {
  const { message, type, param, code } = fields(body.error);
  assert(typeof message === 'string' && message !== '', 'an error without a message');
  assert(typeof type === 'string', 'an error without a type');
  assert(param === null || typeof param === 'string', 'an error without a param');
  return { code, message };
}

const NO_ERROR = { code: undefined, message: '' };

function judgeStream(client: Pair['client'], text: string): Judged {
  assert(text.endsWith('\n\n'), 'no end of its last frame');
  const reader = sse.createReader();
  const frames = [...reader.push(Buffer.from(text)), ...reader.end()];
  return client === 'chat' ? judgeChunks(frames.map(({ data }) => data)) : judgeEvents(frames);
}

const ENDS: Readonly<Record<string, Judged['end']>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
};

function judgeEvents(frames: readonly { readonly event?: string; readonly data: string }[]): Judged {
  const events = frames.map(({ event, data }) => {
    const value = fields(JSON.parse(data));
    assert(value.type === event, `an event ${event} of the type ${String(value.type)}`);
    return value;
  });
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

function judgeBody(client: Pair['client'], value: unknown): Judged {
  const body = fields(value);
  if (client === 'chat') {
    const [choice] = list(body.choices);
    const { content, tool_calls } = fields(choice?.message);
    const calls = list(tool_calls ?? []).map((call) => {
      const { name, arguments: args } = fields(call.function);
      return { id: String(call.id), name: String(name), args: String(args) };
    });
    const isCut = choice?.finish_reason === 'length';
    const text = String(content ?? '');
    return { end: isCut ? 'incomplete' : 'completed', calls: isCut ? [] : calls, text, ...NO_ERROR };
  }
  const items = list(body.output);
  const end = ENDS[`response.${String(body.status)}`];
  assert(end !== undefined, `the status ${String(body.status)}`);
  if (end === 'failed') return { end, calls: [], text: textIn(items), ...failureOf(body) };
  return { end, calls: callsIn(items), text: textIn(items), ...NO_ERROR };
}
