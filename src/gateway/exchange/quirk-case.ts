import { type Item, isCall } from '../../base/item.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { WireName } from '../../base/wire.ts';
import type { FrameWatch } from '../../model/exchange/repaired-frames.ts';
import type { Wire } from '../../wire/edge/wire.ts';

/**
 * A response that had to be repaired, as a case of the corpus of quirks: the frames as received, and what they mean.
 */
export interface QuirkCase {
  readonly name: string;
  readonly says: string;
  readonly wire: WireName;
  readonly request: { readonly tools: readonly object[] };
  readonly frames: readonly (string | { readonly event: string; readonly data: string })[];
  readonly expect: object;
}

/** Watches the frames of one response, before and after the repair. */
export interface QuirkWatch extends FrameWatch {
  /** Returns undefined where nothing was repaired, or where the response is too long to be worth keeping. */
  caseOf(name: string, repairs: readonly Repair[]): QuirkCase | undefined;
}

const MAX_CHARS = 4 * 1024 * 1024;

export function createQuirkWatch(wire: Wire, request: ModelRequest, redact: (text: string) => string): QuirkWatch {
  const decoder = wire.decodeStream(request);
  const frames: QuirkCase['frames'][number][] = [];
  const events: ModelEvent[] = [];
  let size = 0;
  return {
    came({ event, data }) {
      size += data.length;
      if (size > MAX_CHARS) return;
      const text = redact(data);
      frames.push(event === undefined ? text : { event, data: text });
    },
    repaired(frame) {
      if (size <= MAX_CHARS) events.push(...decoder.push(frame));
    },
    caseOf(name, repairs) {
      if (repairs.length === 0 || size > MAX_CHARS) return undefined;
      events.push(...decoder.end());
      const says = [...new Set(repairs.map(({ title }) => title))].join('; ');
      const tools = request.tools.flatMap(toolOf);
      return { name, says, wire: wire.name, request: { tools }, frames, expect: expected(events, repairs) };
    },
  };
}

function toolOf(tool: ToolSpec): readonly object[] {
  if (tool.type === 'function') return [{ type: 'function', name: tool.name, parameters: tool.parameters }];
  return tool.type === 'custom' ? [{ type: 'custom', name: tool.name }] : [];
}

function expected(events: readonly ModelEvent[], repairs: readonly Repair[]): object {
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  const calls = items.filter(isCall);
  const ids = repairs.map(({ id }) => id).filter((id) => /^[A-H]\d{1,2}$/.test(id));
  return {
    text: items.map(textOf).join(''),
    calls: calls.flatMap(callOf),
    finish: finishOf(events, calls.length > 0),
    repairs: [...new Set(ids)].sort(),
  };
}

function textOf(item: Item): string {
  if (item.type !== 'message') return '';
  return item.content.map((part) => ('text' in part ? part.text : '')).join('');
}

function callOf(item: Item): readonly object[] {
  if (item.type === 'custom_tool_call') return [{ name: item.name, input: item.input }];
  return item.type === 'function_call' ? [{ name: item.name, arguments: parsed(item.arguments) }] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const ENDS: Readonly<Record<string, string>> = { incomplete: 'cut', failed: 'failed' };

function finishOf(events: readonly ModelEvent[], called: boolean): string {
  const end = events.find(({ type }) => type === 'completed' || type in ENDS);
  return ENDS[end?.type ?? 'failed'] ?? (called ? 'calls' : 'stop');
}
