import { type Item, isCall } from '../../../src/base/item.ts';
import type { ModelEvent, ModelRequest } from '../../../src/base/model.ts';
import { wholeText } from '../../../src/base/request-text.ts';
import type { ToolSpec } from '../../../src/base/tool.ts';
import type { Usage } from '../../../src/base/usage.ts';
import type { Framing } from '../../../src/base/wire.ts';
import { sse } from '../../../src/wire/framing/sse.ts';
import { type Compat, DEFAULT_COMPAT, type Frame, repairStream, type StreamRepair } from '../../../src/wire.ts';
import { findWire } from './find-wire.ts';
import type { AnyCase, CaseTool, ExpectedCall } from './read-corpus.mjs';

/** The result of a case's response. */
export interface CaseResult {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ExpectedCall[];
  readonly callIds: readonly string[];
  readonly finish: 'calls' | 'stop' | 'cut' | 'failed' | 'none';
  /** The message of a failure. */
  readonly error: string | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
  /** Ids of repairs, sorted, each once. */
  readonly repairs: readonly string[];
  /** The data of the frames as they came, and as they were after the repair. */
  readonly came: readonly string[];
  readonly out: readonly Frame[];
  readonly items: readonly Item[];
}

/** Returns the frames of a response whose bytes come in these pieces. */
export function readFrames(pieces: readonly Uint8Array[], framing: Framing = sse): readonly Frame[] {
  const reader = framing.createReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

/** Reads the bytes of a response in these pieces, repairs it and decodes it. */
export function runCase(kase: AnyCase, pieces: readonly Uint8Array[]): CaseResult {
  const decoder = findWire(kase.wire).decodeStream(requestOf(kase));
  const repairs: string[] = [];
  const repair = openRepair(kase, (id) => repairs.push(id));
  const came: string[] = [];
  const out: Frame[] = [];
  const events: ModelEvent[] = [];
  const decode = (frames: readonly Frame[]) => {
    for (const frame of frames) {
      out.push(frame);
      events.push(...decoder.push(frame));
    }
  };
  for (const frame of readFrames(pieces, findWire(kase.wire).framing)) {
    came.push(frame.data);
    decode(repair.push(frame));
  }
  decode(repair.end());
  events.push(...decoder.end());
  return { ...summary(events), repairs: unique(repairs), came, out };
}

/** Repairs frames that were repaired before. */
export function repairAgain(kase: AnyCase, frames: readonly Frame[]) {
  const repairs: string[] = [];
  // Decoded entities are no longer escaped: this is the one repair that must not run again.
  const { html_entities: _, ...compat } = kase.compat ?? {};
  const repair = openRepair({ ...kase, compat }, (id) => repairs.push(id));
  // As they come over a wire, without the values that the first repair has parsed.
  const bare = frames.map(({ event, data }) => (event === undefined ? { data } : { event, data }));
  const out = [...bare.flatMap((frame) => repair.push(frame)), ...repair.end()];
  return { repairs: unique(repairs), data: out.map(({ data }) => data) };
}

/** Returns the parsed body of the request that follows the case's response. */
export function requestAfter(kase: AnyCase, items: readonly Item[]): unknown {
  const request = requestOf(kase);
  const answers = items.filter(isCall).map((call): Item => {
    const type = call.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
    return { type, call_id: call.call_id, output: 'ok' };
  });
  const next = { ...request, input: [...request.input, ...items, ...answers] };
  return JSON.parse(wholeText(findWire(kase.wire).encodeRequest(next, compatOf(kase))));
}

function openRepair(kase: AnyCase, report: (id: string) => void): StreamRepair {
  return repairStream(kase.wire, {
    request: requestOf(kase),
    compat: compatOf(kase),
    memory: { startsThinking: false },
    onRepair: ({ id }) => report(id),
  });
}

const requests = new WeakMap<AnyCase, ModelRequest>();

/** Returns the request that a case's response answers. */
export function requestOf(kase: AnyCase): ModelRequest {
  let request = requests.get(kase);
  if (request === undefined) {
    request = makeRequest(kase);
    requests.set(kase, request);
  }
  return request;
}

function makeRequest({ request = {}, history }: AnyCase): ModelRequest {
  const { tools = [], call_ids = [], json_answer = false } = request;
  const name = tools[0]?.name ?? 'tool';
  const user: Item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Do it.' }] };
  return {
    model: 'some-model',
    instructions: '',
    input: history ?? [user, ...call_ids.flatMap((callId) => earlierCall(callId, name))],
    tools: tools.map(toolSpec),
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
    ...(json_answer && { text: { schema: { name: 'answer', strict: true, schema: { type: 'object' } } } }),
  };
}

function earlierCall(call_id: string, name: string): readonly Item[] {
  return [
    { type: 'function_call', call_id, name, arguments: '{}' },
    { type: 'function_call_output', call_id, output: 'ok' },
  ];
}

function toolSpec(tool: CaseTool): ToolSpec {
  return tool.type === 'custom' ? { ...tool, description: '' } : { ...tool, description: '', strict: false };
}

/** Returns the settings of the case's server. */
export function compatOf({ compat = {} }: { readonly compat?: Readonly<Record<string, unknown>> }): Compat {
  const named = Object.entries(compat).map(([key, value]) => [
    key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return { ...DEFAULT_COMPAT, ...Object.fromEntries(named) };
}

/** Returns the sum of the events of a response. */
export function summary(events: readonly ModelEvent[]): Omit<CaseResult, 'repairs' | 'came' | 'out'> {
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  const calls = items.filter(isCall);
  const deltas = (type: 'text.delta' | 'reasoning.delta') =>
    events.map((event) => (event.type === type ? event.delta : '')).join('');
  return {
    text: deltas('text.delta'),
    reasoning: deltas('reasoning.delta'),
    calls: calls.map(callOf),
    callIds: calls.map(({ call_id }) => call_id),
    ...ending(events.at(-1), calls.length),
    items,
  };
}

function callOf(item: Extract<Item, { call_id: string }>): ExpectedCall {
  if (item.type === 'custom_tool_call') return { name: item.name, input: item.input };
  if (item.type !== 'function_call') return { name: item.type };
  const name = item.namespace === undefined ? item.name : `${item.namespace}.${item.name}`;
  return { name, arguments: jsonOrText(item.arguments) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function ending(last: ModelEvent | undefined, calls: number): Pick<CaseResult, 'finish' | 'error' | 'usage'> {
  switch (last?.type) {
    case 'completed':
      return { finish: calls > 0 ? 'calls' : 'stop', error: null, usage: tokens(last.usage) };
    case 'incomplete':
      return { finish: 'cut', error: null, usage: tokens(last.usage) };
    case 'failed':
      return { finish: 'failed', error: last.message, usage: null };
    default:
      return { finish: 'none', error: null, usage: null };
  }
}

function tokens(usage: Usage | null): CaseResult['usage'] {
  return usage && { input: usage.inputTokens, output: usage.outputTokens };
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].sort();
}
