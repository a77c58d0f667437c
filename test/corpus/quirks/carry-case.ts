import { isRecord } from '../../../src/base/json-schema.ts';
import type { AnyCase, Case } from './read-corpus.mjs';

type Fields = Readonly<Record<string, unknown>>;

/** A case of the chat wire as another wire would have it. */
export type CarriedWire = 'messages' | 'ollama';

/**
 * Returns a case of the chat wire in the form of another wire, with the same faults in its texts, arguments and end.
 * Undefined if the fault is one of the chat wire itself, such as a call without an index.
 */
export function carryCase(kase: Case, wire: CarriedWire): AnyCase | undefined {
  if (kase.wire !== 'chat' || kase.frames === undefined || kase.expect === undefined) return undefined;
  const said = readFrames(kase.frames);
  if (said === undefined || said.pieces.length === 0 || isWholeEarlier(kase, said, wire)) return undefined;
  return CARRIERS[wire](kase, said);
}

/**
 * Reports whether calls count that would not on the chat wire, whose calls are whole only at its end: on another wire a
 * call before the last one is, and on Ollama's every call.
 */
function isWholeEarlier({ expect }: Case, { pieces }: Said, wire: CarriedWire): boolean {
  if (expect?.finish !== 'cut' && expect?.finish !== 'failed') return false;
  const calls = pieces.filter(({ type }) => type === 'call').length;
  const input = pieces.map((piece) => (piece.type === 'arguments' ? piece.text : '')).join('');
  return calls > (wire === 'ollama' ? 0 : 1) || /\}\s*\{/.test(input);
}

/** An answer, piece by piece. */
interface Said {
  readonly pieces: readonly Piece[];
  /** Null: the answer has no finish signal. */
  readonly finish: string | null;
  readonly isMarked: boolean;
}

type Piece =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'call'; readonly call: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly call: number; readonly text: string };

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'tool_calls', 'length', 'content_filter']);

/** Reads frames that have nothing but texts, well-formed calls, one finish signal and an end mark. */
function readFrames(frames: NonNullable<Case['frames']>): Said | undefined {
  const pieces: Piece[] = [];
  const calls = new Set<number>();
  let finish: string | null = null;
  let isMarked = false;
  for (const frame of frames) {
    if (frame === '[DONE]') {
      isMarked = true;
      continue;
    }
    const chunk = typeof frame === 'string' ? parsed(frame) : undefined;
    const choices = isRecord(chunk) && Array.isArray(chunk.choices) ? chunk.choices : undefined;
    if (isRecord(chunk) && choices?.length === 0 && isRecord(chunk.usage)) continue;
    const [choice] = choices ?? [];
    if (choices?.length !== 1 || !isRecord(choice) || isMarked || finish !== null || choice.index) return undefined;
    if (Object.keys(choice).some((name) => !CHOICE_FIELDS.has(name))) return undefined;
    const more = readDelta(choice.delta, calls);
    if (more === undefined) return undefined;
    pieces.push(...more);
    if (choice.finish_reason === null || choice.finish_reason === undefined) continue;
    if (!FINISHES.has(choice.finish_reason)) return undefined;
    finish = String(choice.finish_reason);
  }
  return { pieces, finish, isMarked };
}

const CHOICE_FIELDS: ReadonlySet<string> = new Set(['index', 'delta', 'finish_reason', 'logprobs']);
const FIELDS: ReadonlySet<string> = new Set(['role', 'content', 'reasoning_content', 'tool_calls']);

function readDelta(delta: unknown, calls: Set<number>): readonly Piece[] | undefined {
  if (!isRecord(delta) || Object.keys(delta).some((name) => !FIELDS.has(name))) return undefined;
  const { content, reasoning_content: thought, tool_calls: list } = delta;
  if ([content, thought].some((text) => typeof text !== 'string' && text !== null && text !== undefined))
    return undefined;
  const texts: Piece[] = [
    ...(thought ? [{ type: 'thinking', text: String(thought) } as const] : []),
    ...(content ? [{ type: 'text', text: String(content) } as const] : []),
  ];
  if (list === undefined || list === null) return texts;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const read = list.map((call: unknown) => (isRecord(call) ? readCall(call, calls) : undefined));
  return read.some((one) => one === undefined) ? undefined : [...texts, ...read.flatMap((one) => one ?? [])];
}

function readCall({ index, id, function: form }: Fields, calls: Set<number>): readonly Piece[] | undefined {
  if (typeof index !== 'number' || !isRecord(form)) return undefined;
  const text = form.arguments ?? '';
  if (typeof text !== 'string') return undefined;
  const isKnown = calls.has(index);
  // Blocks of other wires do not interleave.
  if (isKnown && index !== calls.size - 1) return undefined;
  if (isKnown && (id !== undefined || form.name !== undefined)) return undefined;
  if (!isKnown && (typeof id !== 'string' || id === '' || typeof form.name !== 'string' || index !== calls.size)) {
    return undefined;
  }
  calls.add(index);
  const begin: Piece[] = isKnown ? [] : [{ type: 'call', call: index, id: String(id), name: String(form.name) }];
  return [...begin, { type: 'arguments', call: index, text }];
}

const CARRIERS: Readonly<Record<CarriedWire, (kase: Case, said: Said) => AnyCase | undefined>> = {
  messages: (kase, said) => ({ ...carried(kase, 'messages'), frames: messagesFrames(said) }),
  ollama(kase, said) {
    // A connection that just ends is no end on this wire.
    if (said.finish === null && kase.expect?.finish !== 'failed') return undefined;
    return { ...carried(kase, 'ollama'), content_type: 'application/x-ndjson', body: ollamaLines(said) };
  },
};

/** Returns the case without its frames. Repairs and usage have other forms on another wire. */
function carried({ frames: _, expect_request: __, ...kase }: Case, wire: CarriedWire): AnyCase {
  return { ...kase, wire };
}

const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

function messagesFrames({ pieces, finish, isMarked }: Said): NonNullable<Case['frames']> {
  const frames: { event: string; data: string }[] = [];
  const emit = (type: string, fields: Fields = {}) =>
    void frames.push({ event: type, data: JSON.stringify({ type, ...fields }) });
  let open: string | undefined;
  let index = -1;
  const close = () => {
    if (open !== undefined) emit('content_block_stop', { index });
    open = undefined;
  };
  const begin = (key: string, content_block: Fields) => {
    if (open === key) return;
    close();
    open = key;
    index++;
    emit('content_block_start', { index, content_block });
  };
  emit('message_start', { message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] } });
  for (const piece of pieces) {
    if (piece.type === 'text') begin('text', { type: 'text', text: '' });
    else if (piece.type === 'thinking') begin('thinking', { type: 'thinking', thinking: '', signature: '' });
    else if (piece.type === 'call') {
      begin(`call ${piece.call}`, { type: 'tool_use', id: piece.id, name: piece.name, input: {} });
      continue;
    }
    emit('content_block_delta', { index, delta: deltaOf(piece) });
  }
  if (finish !== null || isMarked) close();
  if (finish !== null) emit('message_delta', { delta: { stop_reason: STOPS[finish] ?? finish, stop_sequence: null } });
  if (isMarked) emit('message_stop');
  return frames;
}

function deltaOf(piece: Exclude<Piece, { type: 'call' }>): Fields {
  if (piece.type === 'text') return { type: 'text_delta', text: piece.text };
  if (piece.type === 'thinking') return { type: 'thinking_delta', thinking: piece.text };
  return { type: 'input_json_delta', partial_json: piece.text };
}

const DONE: Readonly<Record<string, string>> = { tool_calls: 'stop' };

function ollamaLines({ pieces, finish }: Said): string {
  const line = (message: Fields, more: Fields = { done: false }) =>
    `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;
  const texts = pieces.flatMap((piece) => {
    if (piece.type === 'text') return [line({ content: piece.text })];
    return piece.type === 'thinking' ? [line({ thinking: piece.text })] : [];
  });
  const calls = pieces.flatMap((piece) => {
    if (piece.type !== 'call') return [];
    const input = pieces.map((one) => (one.type === 'arguments' && one.call === piece.call ? one.text : '')).join('');
    const value = parsed(input);
    const args = isRecord(value) ? value : input === '' ? {} : input;
    return [line({ tool_calls: [{ id: piece.id, function: { name: piece.name, arguments: args } }] })];
  });
  const end = finish === null ? [] : [line({}, { done: true, done_reason: DONE[finish] ?? finish })];
  return [...texts, ...calls, ...end].join('');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
