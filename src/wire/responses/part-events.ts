import type { Fields } from '../fields/request-fields.ts';

/**
 * Receiver of frames to send. `fields` is the JSON text of an object without its braces, or returns it. `response`
 * returns the response, of frames that have the whole of it.
 */
export type Emit = (type: string, fields: string | (() => string), response?: () => Fields) => void;

export type PartKind = keyof typeof PART_EVENTS;

/** A piece of text inside an item. */
export interface StreamedPart {
  readonly kind: PartKind;
  readonly text: string;
}

/** Consecutive parts of one item that share their numbering. */
export interface PartRun {
  /** Fields that name the item in each frame. */
  readonly item: { readonly item_id: string; readonly output_index: number };
  /** Number of the open part, or of the last one; -1 before the first. */
  index: number;
  open: OpenPart | undefined;
  /** All deltas of all parts so far, joined. */
  sent: string;
}

interface OpenPart {
  readonly kind: PartKind;
  text: string;
  /** Beginning of the fields of each frame, as JSON text: the item and the number of the part. */
  readonly place: string;
}

/**
 * Names of the frames and fields of a part. `index` is the field of its number, `text` the field of its whole text in
 * the closing frame.
 */
interface PartEvents {
  readonly index?: 'content_index' | 'summary_index';
  /** `make` returns the part as JSON text. Its text is JSON too. */
  readonly part?: { readonly events: string; make(text: string): string };
  readonly events: string;
  readonly text: string;
  /** Last fields of the frames with text, as JSON text. */
  readonly extra?: string;
}

const PART_EVENTS = {
  output_text: {
    index: 'content_index',
    part: { events: 'response.content_part', make: outputText },
    events: 'response.output_text',
    text: 'text',
    extra: ',"logprobs":[]',
  },
  refusal: {
    index: 'content_index',
    part: { events: 'response.content_part', make: (text) => `{"type":"refusal","refusal":${text}}` },
    events: 'response.refusal',
    text: 'refusal',
  },
  summary: {
    index: 'summary_index',
    part: {
      events: 'response.reasoning_summary_part',
      make: (text) => `{"type":"summary_text","text":${text}}`,
    },
    events: 'response.reasoning_summary_text',
    text: 'text',
  },
  raw: {
    index: 'content_index',
    part: { events: 'response.content_part', make: (text) => `{"type":"reasoning_text","text":${text}}` },
    events: 'response.reasoning_text',
    text: 'text',
  },
  arguments: { events: 'response.function_call_arguments', text: 'arguments' },
  input: { events: 'response.custom_tool_call_input', text: 'input' },
} satisfies Record<string, PartEvents>;

/** Begins the next part, after closing the open one. */
export function openPart(run: PartRun, kind: PartKind, emit: Emit): void {
  closePart(run, run.open?.text ?? '', emit);
  run.index++;
  const { index, part }: PartEvents = PART_EVENTS[kind];
  const number = index === undefined ? '' : `,"${index}":${run.index}`;
  const place = `"item_id":${JSON.stringify(run.item.item_id)},"output_index":${run.item.output_index}${number}`;
  run.open = { kind, text: '', place };
  if (part) emit(`${part.events}.added`, `${place},"part":${part.make('""')}`);
}

/** Sends a piece of the open part's text. */
export function sendDelta(run: PartRun, delta: string, emit: Emit): void {
  if (run.open === undefined) return;
  run.open.text += delta;
  run.sent += delta;
  const { kind, place } = run.open;
  const { events, extra = '' }: PartEvents = PART_EVENTS[kind];
  emit(`${events}.delta`, `${place},"delta":${JSON.stringify(delta)}${extra}`);
}

/** Ends a run: sends the text that the deltas left out, and closes every part with its whole text. */
export function finishRun(run: PartRun, parts: readonly StreamedPart[], emit: Emit): void {
  const whole = parts.map((part) => part.text).join('');
  // Deltas that differ from the final text cannot be completed. The closing frames hold the final text.
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
  const { kind, place } = run.open;
  const { events, part, text: field, extra = '' }: PartEvents = PART_EVENTS[kind];
  run.open = undefined;
  const json = JSON.stringify(text);
  emit(`${events}.done`, `${place},"${field}":${json}${extra}`);
  if (part) emit(`${part.events}.done`, `${place},"part":${part.make(json)}`);
}

/** Returns a text part of a message as servers send it. */
function outputText(text: string): string {
  return `{"type":"output_text","text":${text},"annotations":[],"logprobs":[]}`;
}
