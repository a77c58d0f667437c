import { isRecord } from '../../../src/base/json-schema.ts';
import { readFrames } from '../quirks/run-case.ts';

type Fields = Readonly<Record<string, unknown>>;

export type SpokenWire = 'chat' | 'responses';

/** Answer as a client reads it that knows neither quirks nor this project. */
export interface ClientReading {
  text: string;
  reasoning: string;
  refusal: string;
  calls: { readonly name: string; input: string; readonly kind: string }[];
  finish: string;
  usage: Readonly<Record<string, number>> | null;
  failed: boolean;
  /** Whether an item begins before a message or a call has ended. Some clients then run the wrong call. */
  overlaps: boolean;
  /** Places where some clients throw, one line each. */
  readonly faults: string[];
}

export function readAsClient(wire: SpokenWire, bytes: Buffer, stream: boolean): ClientReading {
  const reading: ClientReading = {
    text: '',
    reasoning: '',
    refusal: '',
    calls: [],
    finish: '',
    usage: null,
    failed: false,
    overlaps: false,
    faults: [],
  };
  const values = stream
    ? readFrames([bytes]).flatMap(({ data }) => (data.startsWith('[DONE]') ? [] : [fieldsOf(JSON.parse(data))]))
    : [fieldsOf(JSON.parse(bytes.toString()))];
  if (wire === 'chat') readChunks(values, reading, stream);
  else if (stream) readEvents(values, reading);
  else readResponse(values[0] ?? {}, reading);
  return reading;
}

/** Reads chunks, or a whole answer, which equals one chunk. */
function readChunks(chunks: readonly Fields[], reading: ClientReading, stream: boolean): void {
  const calls = new Map<unknown, ClientReading['calls'][number]>();
  let hasRole = false;
  for (const { error, usage, choices, x_groq } of chunks) {
    reading.failed ||= isSet(error);
    reading.usage = counted(usage ?? fieldsOf(x_groq).usage, 'prompt', 'completion') ?? reading.usage;
    const choice = listOf(choices).find(({ index }) => (index ?? 0) === 0);
    const said = fieldsOf(stream ? choice?.delta : choice?.message);
    hasRole ||= said.role === 'assistant';
    reading.text += textOf(said.content);
    reading.reasoning += textOf(said.reasoning_content) || textOf(said.reasoning);
    reading.refusal += textOf(said.refusal);
    reading.finish = textOf(choice?.finish_reason) || reading.finish;
    for (const [n, piece] of listOf(said.tool_calls).entries()) {
      const key = stream ? piece.index : n;
      const form = fieldsOf(piece.type === 'custom' || !isRecord(piece.function) ? piece.custom : piece.function);
      if (!calls.has(key)) {
        if (!piece.id || !form.name || !piece.type) reading.faults.push(`a call begins with ${JSON.stringify(piece)}`);
        calls.set(key, { name: textOf(form.name), input: '', kind: textOf(piece.type) });
      }
      const call = calls.get(key);
      if (call) call.input += textOf(form.arguments ?? form.input);
    }
  }
  if (stream && !hasRole && !reading.failed) reading.faults.push('no role');
  reading.calls = [...calls.values()];
}

function readEvents(events: readonly Fields[], reading: ClientReading): void {
  const open = new Map<unknown, Fields>();
  const done = new Map<unknown, Fields>();
  const deltas = new Map<unknown, string>();
  let end: Fields | undefined;
  for (const event of events) {
    const { type, output_index: at } = event;
    const item = fieldsOf(event.item);
    if (type === 'response.output_item.added') {
      if (open.has(at) || done.has(at)) reading.faults.push(`output_index ${String(at)} is added twice`);
      reading.overlaps ||= [...open.values()].some((other) => other.type !== 'reasoning');
      open.set(at, item);
    } else if (type === 'response.output_item.done') {
      if (!open.delete(at)) reading.faults.push('an item is done that was not added');
      done.set(at, item);
    } else if (DELTAS.has(String(type))) deltas.set(at, (deltas.get(at) ?? '') + textOf(event.delta));
    else if (type === 'error') reading.failed = true;
    else if (ENDS.has(String(type))) end = fieldsOf(event.response);
  }
  readResponse(
    { ...end, output: [...done.entries()].sort(([a], [b]) => Number(a) - Number(b)).map(([, it]) => it) },
    reading,
  );
  for (const [at, item] of done) {
    const whole = saidIn(item);
    const said = deltas.get(at) ?? (item.type === 'message' ? whole : '{}');
    if (said !== whole) reading.faults.push(`deltas say ${said} in place of ${whole}`);
  }
}

const DELTAS: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
]);
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Returns the text of an item that its deltas repeat. */
function saidIn(item: Fields): string {
  if (item.type === 'function_call' || item.type === 'custom_tool_call') return textOf(item.arguments ?? item.input);
  if (item.type !== 'message') return '{}';
  return listOf(item.content)
    .map((part) => textOf(part.text) + textOf(part.refusal))
    .join('');
}

function readResponse(response: Fields, reading: ClientReading): void {
  const { status, usage, error, output, incomplete_details: details } = response;
  reading.usage = counted(usage, 'input', 'output');
  reading.failed ||= isSet(error) || status === 'failed';
  for (const item of listOf(output)) {
    const texts = (list: unknown) => listOf(list).map(({ text }) => textOf(text));
    if (item.type === 'message') {
      reading.text += texts(item.content).join('');
      reading.refusal += listOf(item.content)
        .map(({ refusal }) => textOf(refusal))
        .join('');
    } else if (item.type === 'reasoning') {
      reading.reasoning += texts(item.content).join('') || texts(item.summary).join('');
    } else if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      const kind = item.type === 'function_call' ? 'function' : 'custom';
      reading.calls.push({ name: textOf(item.name), input: textOf(item.arguments ?? item.input), kind });
    }
  }
  const cut = fieldsOf(details).reason === 'content_filter' ? 'content_filter' : 'length';
  reading.finish = status === 'incomplete' ? cut : reading.calls.length > 0 ? 'tool_calls' : 'stop';
}

function counted(usage: unknown, input: string, output: string): ClientReading['usage'] {
  if (!isRecord(usage)) return null;
  const count = (name: string) => Number(usage[`${name}_tokens`] ?? 0);
  const detail = (name: string, of: string) => Number(fieldsOf(usage[`${name}_tokens_details`])[`${of}_tokens`] ?? 0);
  return {
    input: count(input),
    output: count(output),
    cached: detail(input, 'cached'),
    reasoning: detail(output, 'reasoning'),
  };
}

const isSet = (value: unknown) => value !== undefined && value !== null;
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);
