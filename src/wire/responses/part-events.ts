import type { Fields } from '../fields/request-fields.ts';

/** Adds a frame to what goes out. The fields may be given as the JSON text of their object. */
export type Emit = (type: string, fields: Fields | string) => void;

export type PartKind = keyof typeof PART_EVENTS;

/** A piece of text inside an item: which kind it is and what it says. */
export interface StreamedPart {
  readonly kind: PartKind;
  readonly text: string;
}

/** Parts of one item that follow each other and share their numbering. */
export interface PartRun {
  /** What says which item this is, on each frame. */
  readonly item: { readonly item_id: string; readonly output_index: number };
  /** The number of the open part, or of the last one; -1 before the first. */
  index: number;
  open: OpenPart | undefined;
  /** All deltas of all parts so far. */
  sent: string;
}

interface OpenPart {
  readonly kind: PartKind;
  text: string;
  /** What each frame with a piece of its text begins with, as JSON text. */
  readonly lead: string;
}

/** Frames of a part's life. `index` names its number, `text` the whole text in the closing frame. */
interface PartEvents {
  readonly index?: 'content_index' | 'summary_index';
  readonly part?: { readonly events: string; make(text: string): object };
  readonly events: string;
  readonly text: string;
  readonly extra?: object;
}

const PART_EVENTS = {
  output_text: {
    index: 'content_index',
    part: { events: 'response.content_part', make: outputText },
    events: 'response.output_text',
    text: 'text',
    extra: { logprobs: [] },
  },
  refusal: {
    index: 'content_index',
    part: { events: 'response.content_part', make: (refusal) => ({ type: 'refusal', refusal }) },
    events: 'response.refusal',
    text: 'refusal',
  },
  summary: {
    index: 'summary_index',
    part: { events: 'response.reasoning_summary_part', make: (text) => ({ type: 'summary_text', text }) },
    events: 'response.reasoning_summary_text',
    text: 'text',
  },
  raw: {
    index: 'content_index',
    part: { events: 'response.content_part', make: (text) => ({ type: 'reasoning_text', text }) },
    events: 'response.reasoning_text',
    text: 'text',
  },
  arguments: { events: 'response.function_call_arguments', text: 'arguments' },
  input: { events: 'response.custom_tool_call_input', text: 'input' },
} satisfies Record<string, PartEvents>;

/** Begins the next part, after closing the one that is open. */
export function openPart(run: PartRun, kind: PartKind, emit: Emit): void {
  closePart(run, run.open?.text ?? '', emit);
  run.index++;
  const { item_id, output_index } = run.item;
  const lead = `{"item_id":${JSON.stringify(item_id)},"output_index":${output_index},"content_index":${run.index},"delta":`;
  run.open = { kind, text: '', lead };
  const { part }: PartEvents = PART_EVENTS[kind];
  if (part) emit(`${part.events}.added`, { ...place(run, kind), part: part.make('') });
}

/** Sends a piece of the open part's text. */
export function sendDelta(run: PartRun, delta: string, emit: Emit): void {
  if (run.open === undefined) return;
  run.open.text += delta;
  run.sent += delta;
  const { kind, lead } = run.open;
  if (kind === 'output_text') {
    // Nearly all frames are of this kind: they are written without detours.
    emit(TEXT_DELTA, `${lead}${JSON.stringify(delta)},"logprobs":[]}`);
    return;
  }
  const { events, extra }: PartEvents = PART_EVENTS[kind];
  emit(`${events}.delta`, { ...place(run, kind), delta, ...extra });
}

const TEXT_DELTA = 'response.output_text.delta';

/** Brings a run to its end: what the deltas left out is sent, and every part is closed with its whole text. */
export function finishRun(run: PartRun, parts: readonly StreamedPart[], emit: Emit): void {
  const whole = parts.map((part) => part.text).join('');
  // Deltas that said something else cannot be completed; the closing frames hold what counts.
  const sent = whole.startsWith(run.sent) ? run.sent.length : whole.length;
  let offset = 0;
  for (const [i, { kind, text }] of parts.entries()) {
    const rest = text.slice(Math.max(0, sent - offset));
    offset += text.length;
    if (i < run.index) continue;
    if (i > run.index) openPart(run, kind, emit);
    if (rest !== '') sendDelta(run, rest, emit);
    closePart(run, text, emit);
  }
  closePart(run, run.open?.text ?? '', emit);
}

function closePart(run: PartRun, text: string, emit: Emit): void {
  if (run.open === undefined) return;
  const { kind } = run.open;
  const { events, part, text: field, extra }: PartEvents = PART_EVENTS[kind];
  run.open = undefined;
  emit(`${events}.done`, { ...place(run, kind), [field]: text, ...extra });
  if (part) emit(`${part.events}.done`, { ...place(run, kind), part: part.make(text) });
}

function place(run: PartRun, kind: PartKind): object {
  const { index }: PartEvents = PART_EVENTS[kind];
  const { item_id, output_index } = run.item;
  if (index === 'content_index') return { item_id, output_index, content_index: run.index };
  return index === undefined ? run.item : { item_id, output_index, summary_index: run.index };
}

/** A text part of a message as servers send it. */
export function outputText(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
