import type { ContentPart, Item, MessageItem, ReasoningItem } from '../../base/item.ts';
import type { ModelEvent, StartedItem } from '../../base/model.ts';

/**
 * Returns a function that returns the events to pass on for some events. They have one item at a time: an item is
 * complete before the next one begins. Some clients keep only the latest item, and would add the arguments of one call
 * to another.
 *
 * A message or reasoning is completed as soon as another item begins. A call is complete only when its server says so.
 * Until then other items are held back, and then sent whole.
 */
export function orderItems(): (events: readonly ModelEvent[]) => readonly ModelEvent[] {
  let told: ModelEvent[] = [];
  const emit = (event: ModelEvent) => void told.push(event);
  const order: Order = { emit, open: undefined, closed: new Map(), held: new Set(), waiting: [] };
  return (events) => {
    const first = events[0];
    if (events.length === 1 && first?.type === 'text.delta' && first.itemId === order.open?.started.id) {
      // Fast path: nearly all events are of this kind.
      note(first, order.open);
      return events;
    }
    told = [];
    for (const event of events) take(event, order);
    return told;
  };
}

function take(event: ModelEvent, order: Order): void {
  if ('itemId' in event) takePiece(event, order);
  else if (event.type === 'item.done') takeDone(event.item, order);
  else if (event.type !== 'item.started') {
    if (event.type !== 'created') release(order);
    order.emit(event);
  } else if (begin(event.item, order)) order.emit(event);
}

interface Order {
  readonly emit: (event: ModelEvent) => void;
  open: SentItem | undefined;
  /** Items that were completed early, by id. */
  readonly closed: Map<string, SentItem>;
  /** Ids of items that began while a call was open. */
  readonly held: Set<string>;
  /** Complete items that wait for the open call. */
  waiting: Item[];
}

/** An item, and its texts as far as they were sent. */
interface SentItem {
  readonly started: StartedItem;
  text: string;
  refusal: string;
  raw: string;
  readonly summary: string[];
}

type Piece = Extract<ModelEvent, { readonly itemId: string }>;

function takePiece(piece: Piece, order: Order): void {
  if (order.open?.started.id !== piece.itemId) {
    const type = PIECES[piece.type];
    // The name of a call that was not announced is not known yet.
    if (type === undefined || !begin({ type, id: piece.itemId }, order)) return;
  }
  if (order.open !== undefined) note(piece, order.open);
  order.emit(piece);
}

/** Types of the items that pieces may begin. */
const PIECES: Readonly<Record<Piece['type'], SpeechItem['type'] | undefined>> = {
  'text.delta': 'message',
  'reasoning.delta': 'reasoning',
  'reasoning.section': 'reasoning',
  'input.delta': undefined,
};

function note(piece: Piece, sent: SentItem): void {
  if (piece.type === 'text.delta' && !piece.refusal) sent.text += piece.delta;
  else if (piece.type === 'text.delta') sent.refusal += piece.delta;
  else if (piece.type === 'reasoning.section') sent.summary.push('');
  else if (piece.type === 'reasoning.delta' && piece.kind === 'raw') sent.raw += piece.delta;
  else if (piece.type === 'reasoning.delta') sent.summary.push(`${sent.summary.pop() ?? ''}${piece.delta}`);
}

/** Begins an item. Reports whether the client may see it now. */
function begin(started: StartedItem, order: Order): boolean {
  const { id } = started;
  if (order.open?.started.id === id || order.closed.has(id) || order.held.has(id)) return false;
  if (!closeSpeech(order)) {
    order.held.add(id);
    return false;
  }
  order.open = { started, text: '', refusal: '', raw: '', summary: [] };
  return true;
}

/** Completes the open message or reasoning with the text that was sent. Reports whether no item is open now. */
function closeSpeech(order: Order): boolean {
  const { open, closed, emit } = order;
  if (open === undefined) return true;
  const item = sentSoFar(open);
  if (item === undefined) return false;
  order.open = undefined;
  closed.set(open.started.id, open);
  emit({ type: 'item.done', item });
  return true;
}

type SpeechItem = MessageItem | ReasoningItem;

function sentSoFar({ started: { type, id }, text, refusal, raw, summary }: SentItem): SpeechItem | undefined {
  if (type === 'message') return { type, id, role: 'assistant', content: contentOf(text, refusal) };
  if (type !== 'reasoning') return undefined;
  return { type, id, ...thoughts(summary, raw), encrypted_content: null };
}

function takeDone(item: Item, order: Order): void {
  const { open, closed, emit } = order;
  if (open !== undefined && (item.id ?? open.started.id) === open.started.id && item.type === open.started.type) {
    order.open = undefined;
    emit({ type: 'item.done', item });
    release(order);
    return;
  }
  const sent = typeof item.id === 'string' ? closed.get(item.id) : undefined;
  const rest = sent === undefined ? item : restOf(item, sent);
  if (rest === undefined) return;
  if (closeSpeech(order)) emit({ type: 'item.done', item: rest });
  else order.waiting.push(rest);
}

function release(order: Order): void {
  const { waiting, emit } = order;
  order.waiting = [];
  for (const item of waiting) emit({ type: 'item.done', item });
}

/** Returns an item with all that came after its early end; undefined if nothing did. */
function restOf(item: Item, sent: SentItem): Item | undefined {
  const id = `${sent.started.id}-2`;
  if (item.type === 'message') {
    const text = restOfText(joined(item.content, 'text'), sent.text);
    const refusal = restOfText(joined(item.content, 'refusal'), sent.refusal);
    // Some servers send white space after a call.
    return text.trim() === '' && refusal === '' ? undefined : { ...item, id, content: contentOf(text, refusal) };
  }
  if (item.type !== 'reasoning') return undefined;
  const shown = sent.summary.join('');
  // A text that was not begun says the same as the other one.
  const summary = shown === '' && sent.raw !== '' ? '' : restOfText(joined(item.summary, 'text'), shown);
  const raw = sent.raw === '' && shown !== '' ? '' : restOfText(joined(item.content ?? [], 'text'), sent.raw);
  if (summary === '' && raw === '' && item.encrypted_content === null) return undefined;
  return { ...item, id, ...thoughts(summary === '' ? [] : [summary], raw) };
}

function restOfText(whole: string, sent: string): string {
  return whole.startsWith(sent) ? whole.slice(sent.length) : '';
}

function joined(parts: readonly object[], field: 'text' | 'refusal'): string {
  return parts.map((part) => (part as { readonly [name: string]: unknown })[field] ?? '').join('');
}

function contentOf(text: string, refusal: string): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  if (text !== '') parts.push({ type: 'output_text', text });
  if (refusal !== '') parts.push({ type: 'refusal', refusal });
  return parts;
}

function thoughts(summary: readonly string[], raw: string): Pick<ReasoningItem, 'summary' | 'content'> {
  return {
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    content: raw === '' ? null : [{ type: 'reasoning_text', text: raw }],
  };
}
