import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { Frame } from '../../../src/wire.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the faults of a stream that a strict client of that wire could not accept, one line each. */
export function streamFaults(wire: 'chat' | 'responses', frames: readonly Frame[]): readonly string[] {
  return wire === 'chat' ? chatFaults(frames) : responsesFaults(frames);
}

const FINISHES: readonly unknown[] = [null, undefined, 'stop', 'tool_calls', 'length', 'content_filter'];

/** Reads chunks as simple clients do: names are appended, and an index identifies a call. */
function chatFaults(frames: readonly Frame[]): readonly string[] {
  const faults: string[] = [];
  const calls = new Map<number, { readonly id: unknown; name: string }>();
  const finishes: unknown[] = [];
  let failed = false;
  for (const [n, { data }] of frames.entries()) {
    if (data === '[DONE]') {
      if (n < frames.length - 1) faults.push('something follows the end mark');
      continue;
    }
    const chunk = parse(data);
    if (chunk === undefined) faults.push(`no JSON object: ${data}`);
    failed ||= isRecord(chunk?.error);
    const [choice, ...others] = Array.isArray(chunk?.choices) ? chunk.choices.filter(isRecord) : [];
    if (chunk?.error === undefined && !Array.isArray(chunk?.choices)) faults.push(`no choices: ${data}`);
    if (others.length > 0 || choice === undefined || failed) continue;
    if (!FINISHES.includes(choice.finish_reason)) faults.push(`finish_reason ${String(choice.finish_reason)}`);
    if (typeof choice.finish_reason === 'string') finishes.push(choice.finish_reason);
    if (!isRecord(choice.delta)) faults.push(`no delta: ${data}`);
    else faults.push(...deltaFaults(choice.delta, calls));
  }
  for (const { name } of calls.values()) if (name === '') faults.push('a call without a name');
  const ids = [...calls.values()].map(({ id }) => id);
  if (new Set(ids).size < ids.length) faults.push(`two calls with one id: ${ids.join(', ')}`);
  if (failed) return finishes.length === 0 ? faults : [...faults, 'a finish beside a failure'];
  // Some servers repeat the finish signal in a later chunk, which harms no client as long as it is the same.
  if (new Set(finishes).size !== 1) faults.push(`${finishes.length} finish signals: ${finishes.join(', ')}`);
  if (frames.at(-1)?.data !== '[DONE]') faults.push('no end mark');
  return faults;
}

function deltaFaults(delta: Fields, calls: Map<number, { readonly id: unknown; name: string }>): readonly string[] {
  const { content, tool_calls } = delta;
  const faults: string[] = [];
  if (content !== undefined && content !== null && typeof content !== 'string')
    faults.push('a content that is no text');
  for (const piece of Array.isArray(tool_calls) ? tool_calls : []) {
    if (!isRecord(piece) || typeof piece.index !== 'number') {
      faults.push('a call without an index');
      continue;
    }
    const given = piece.type === 'function' ? piece.function : (piece.custom ?? piece.function);
    const form = isRecord(given) ? given : {};
    const text = form.arguments ?? form.input ?? '';
    if (typeof text !== 'string') faults.push('arguments that are no text');
    const known = calls.get(piece.index);
    if (known === undefined) {
      if (typeof piece.id !== 'string' || piece.id === '') faults.push('a call without an id');
      calls.set(piece.index, { id: piece.id, name: String(form.name ?? '') });
    } else {
      known.name += String(form.name ?? '');
      if (form.name) faults.push(`the name again: ${known.name}`);
      if (piece.id !== undefined && piece.id !== null && piece.id !== known.id) faults.push('another id for a call');
    }
  }
  return faults;
}

const ENDS: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed'];

interface OpenItem {
  readonly index: unknown;
  readonly item: Fields;
  done: unknown;
}

/**
 * Checks the life of a response: created, items announced before their deltas and closed after them, one end with all
 * items.
 */
function responsesFaults(frames: readonly Frame[]): readonly string[] {
  const faults: string[] = [];
  const items = new Map<unknown, OpenItem>();
  const events = frames.map(({ data }) => parse(data));
  let sequence = -1;
  for (const [n, { event, data }] of frames.entries()) {
    const value = events[n];
    if (value === undefined) {
      faults.push(`no JSON object: ${data}`);
      continue;
    }
    const { type, sequence_number: number } = value;
    if (event !== undefined && event !== type) faults.push(`the event ${event} is of the type ${String(type)}`);
    if (typeof number === 'number') {
      if (number <= sequence) faults.push(`sequence number ${number} after ${sequence} (${String(type)})`);
      sequence = number;
    }
    if (ENDS.includes(type) && n < frames.length - 1) faults.push(`something follows ${String(type)}`);
    faults.push(...eventFaults(value, items));
  }
  if (events[0]?.type !== 'response.created') faults.push(`it begins with ${String(events[0]?.type)}`);
  return [...faults, ...endFaults(events, items)];
}

function eventFaults(event: Fields, items: Map<unknown, OpenItem>): readonly string[] {
  const { type, item, output_index: index } = event;
  if (type === 'response.output_item.added' && isRecord(item)) {
    if (typeof item.id !== 'string' || item.id === '') return ['an item is announced without an id'];
    if (items.has(item.id)) return [`${item.id} is announced twice`];
    items.set(item.id, { index, item, done: undefined });
    return [];
  }
  if (type === 'response.output_item.done' && isRecord(item)) return doneFaults(item, index, items);
  if (event.item_id === undefined) return [];
  const open = items.get(event.item_id);
  if (open === undefined) return [`${String(type)} of an item that was not announced: ${String(event.item_id)}`];
  if (open.done !== undefined) return [`${String(type)} after the end of its item`];
  return open.index === index ? [] : [`${String(type)} has another output index than its item`];
}

function doneFaults(item: Fields, index: unknown, items: Map<unknown, OpenItem>): readonly string[] {
  const open = items.get(item.id);
  if (open === undefined) return [`an item ends that was not announced: ${String(item.id)}`];
  if (open.done !== undefined) return [`${String(item.id)} ends twice`];
  open.done = item;
  // A value that was unknown before is not a contradiction.
  const changed = ['type', 'call_id', 'name', 'namespace'].filter(
    (name) => open.item[name] && open.item[name] !== item[name],
  );
  return [
    ...changed.map((name) => `${name} of ${String(item.id)}: ${String(open.item[name])}, then ${String(item[name])}`),
    ...(open.index === index ? [] : [`${String(item.id)} ends at another output index`]),
    ...itemFaults(item),
  ];
}

/** Returns the faults of an item. Clients silently drop an item that they cannot read. */
function itemFaults(item: Fields): readonly string[] {
  const texts: Readonly<Record<string, readonly string[]>> = {
    function_call: ['name', 'arguments', 'call_id'],
    custom_tool_call: ['name', 'input', 'call_id'],
  };
  const missing = (texts[String(item.type)] ?? []).filter((name) => typeof item[name] !== 'string');
  if (item.type === 'reasoning' && !Array.isArray(item.summary)) missing.push('summary');
  return missing.map((name) => `${String(item.type)} without ${name}`);
}

function endFaults(events: readonly (Fields | undefined)[], items: ReadonlyMap<unknown, OpenItem>): readonly string[] {
  const ends = events.filter((event) => ENDS.includes(event?.type));
  const [end] = ends;
  const response = isRecord(end?.response) ? end.response : {};
  if (ends.length !== 1) return [`${ends.length} ends`];
  const created = isRecord(events[0]?.response) ? events[0].response : {};
  const faults =
    response.id === created.id ? [] : [`the response is ${String(created.id)}, then ${String(response.id)}`];
  if (end?.type === 'response.failed')
    return isRecord(response.error) ? faults : [...faults, 'a failure without error'];
  const done = [...items.values()].map((open) => open.done).filter((item) => item !== undefined);
  const open = [...items.entries()].filter(([, item]) => item.done === undefined).map(([id]) => String(id));
  if (end?.type === 'response.completed' && open.length > 0) faults.push(`items without an end: ${open.join(', ')}`);
  if (!isDeepStrictEqual(response.output, done)) {
    faults.push(`output ${JSON.stringify(response.output)}, but items ${JSON.stringify(done)}`);
  }
  return [...faults, ...usageFaults(response.usage)];
}

function usageFaults(usage: unknown): readonly string[] {
  if (usage === undefined || usage === null) return [];
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = isRecord(usage)
    ? usage
    : {};
  const counts: Readonly<Record<string, unknown>> = {
    input_tokens,
    output_tokens,
    total_tokens,
    ...(isRecord(input_tokens_details) && { cached_tokens: input_tokens_details.cached_tokens }),
    ...(isRecord(output_tokens_details) && { reasoning_tokens: output_tokens_details.reasoning_tokens }),
  };
  return Object.keys(counts).flatMap((name) => (typeof counts[name] === 'number' ? [] : [`usage without ${name}`]));
}

function parse(data: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
