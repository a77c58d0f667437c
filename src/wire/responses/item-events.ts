import type { ContentPart, Item } from '../../base/item.ts';
import type { StartedItem } from '../../base/model.ts';
import {
  type Emit,
  finishRun,
  openPart,
  type PartKind,
  type PartRun,
  type StreamedPart,
  sendDelta,
} from './part-events.ts';

/** An item of a response that is being sent. */
export interface LiveItem {
  readonly started: StartedItem;
  readonly outputIndex: number;
  readonly runs: Map<PartKind, PartRun>;
  /** Item as it stands in the response, once it is complete. */
  done: DoneItem | undefined;
}

export interface DoneItem {
  readonly item: object;
  /** Returns the item as JSON text, which is written once. */
  text(): string;
}

/** Announces an item, without content yet. */
export function beginItem(started: StartedItem, outputIndex: number, emit: Emit): LiveItem {
  const { type, id, callId, name, namespace } = started;
  const called = callId === undefined && name === undefined ? '' : JSON.stringify({ call_id: callId, name, namespace });
  const item = `{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)}${BEGINNINGS[type] ?? ''}${called.replace('{', ',') || '}'}`;
  emit('response.output_item.added', `"output_index":${outputIndex},"item":${item}`);
  return { started, outputIndex, runs: new Map(), done: undefined };
}

/** Sends a piece of an item's text, opening the part if necessary. */
export function continueItem(live: LiveItem, part: StreamedPart, emit: Emit): void {
  // Refusals and texts share one numbering.
  const run = runOf(live, part.kind === 'refusal' ? 'output_text' : part.kind);
  if (run.open?.kind !== part.kind) openPart(run, part.kind, emit);
  sendDelta(run, part.text, emit);
}

/** Begins the next section of a reasoning summary. */
export function beginSection(live: LiveItem, emit: Emit): void {
  openPart(runOf(live, 'summary'), 'summary', emit);
}

/** Sends the missing rest of an item and closes its parts. */
export function closeParts(live: LiveItem, item: Item, emit: Emit): void {
  for (const [kind, parts] of partsOf(item)) finishRun(runOf(live, kind), parts, emit);
}

/** Closes an item whose parts are closed. */
export function closeItem(live: LiveItem, item: Item, status: 'completed' | 'incomplete', emit: Emit): void {
  const { outputIndex } = live;
  const done = doneItem(sentItem(item, live.started.id, status));
  live.done = done;
  emit('response.output_item.done', () => `"output_index":${outputIndex},"item":${done.text()}`);
}

function doneItem(item: object): DoneItem {
  let text: string | undefined;
  return { item, text: () => (text ??= JSON.stringify(item)) };
}

const WORKING = ',"status":"in_progress"';

/** Fields of an item of each type before any content has come, as JSON text. */
const BEGINNINGS: Partial<Record<Item['type'], string>> = {
  message: `${WORKING},"role":"assistant","content":[]`,
  reasoning: ',"summary":[]',
  function_call: `${WORKING},"arguments":""`,
  custom_tool_call: `${WORKING},"input":""`,
  local_shell_call: `${WORKING},"action":{"type":"exec","command":[],"env":{}}`,
  web_search_call: WORKING,
  image_generation_call: WORKING,
  tool_search_call: WORKING,
};

function runOf(live: LiveItem, kind: PartKind): PartRun {
  let run = live.runs.get(kind);
  if (run === undefined) {
    const item = { item_id: live.started.id, output_index: live.outputIndex };
    run = { item, index: -1, open: undefined, sent: '' };
    live.runs.set(kind, run);
  }
  return run;
}

/** Returns the runs of an item, each with its parts. */
function partsOf(item: Item): readonly (readonly [PartKind, readonly StreamedPart[]])[] {
  switch (item.type) {
    case 'message':
      return [['output_text', contentParts(item.content)]];
    case 'reasoning':
      return [
        ['summary', item.summary.map(({ text }) => ({ kind: 'summary', text }))],
        ['raw', (item.content ?? []).map(({ text }) => ({ kind: 'raw', text }))],
      ];
    case 'function_call':
      return [['arguments', [{ kind: 'arguments', text: item.arguments }]]];
    case 'custom_tool_call':
      return [['input', [{ kind: 'input', text: item.input }]]];
    default:
      return [];
  }
}

function contentParts(content: readonly ContentPart[]): readonly StreamedPart[] {
  const parts: StreamedPart[] = [];
  for (const part of content) {
    if (part.type === 'refusal') parts.push({ kind: 'refusal', text: part.refusal });
    if (part.type === 'output_text' || part.type === 'input_text') parts.push({ kind: 'output_text', text: part.text });
  }
  return parts;
}

const WITH_STATUS: ReadonlySet<Item['type']> = new Set([
  'message',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
]);

function sentItem(item: Item, id: string, status: string): object {
  const beginning = WITH_STATUS.has(item.type) ? { status } : {};
  return Object.assign(beginning, item, sentContent(item), { id });
}

/** Returns the content as clients expect it. Reasoning without a raw text has no content field. */
function sentContent(item: Item): object {
  if (item.type === 'reasoning') return item.content === null ? { content: undefined } : {};
  if (item.type !== 'message') return {};
  return { content: item.content.map((part) => (part.type === 'output_text' ? outputText(part.text) : part)) };
}

function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
