import type { Item, MessageItem, ReasoningItem } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';

/** A text of a response on a wire that has only one text of each kind. */
export type TextKind = 'text' | 'refusal' | 'reasoning';

/** The texts of one response, in the pieces in which they are sent. */
export interface RunningTexts {
  /** Sends the text that an event adds. Events that add no text are ignored. */
  push(event: ModelEvent): void;
}

/**
 * Creates the texts of one response. Several messages become one text, with a blank line between them. Pieces that
 * differ from the final text of their item cannot be revoked.
 */
export function createRunningTexts(send: (kind: TextKind, piece: string) => void): RunningTexts {
  const texts: OpenTexts = { send, items: new Map() };
  return {
    push(event) {
      switch (event.type) {
        case 'text.delta':
          return add(textOf(event.itemId, event.refusal ? 'refusal' : 'text', texts), event.delta, texts);
        case 'reasoning.delta': {
          const text = textOf(event.itemId, 'reasoning', texts, event.kind);
          return text.source === event.kind ? add(text, event.delta, texts) : undefined;
        }
        case 'reasoning.section':
          return beginSection(textOf(event.itemId, 'reasoning', texts, 'summary'));
        case 'item.done':
          if (event.item.type === 'message') finishMessage(event.item, texts);
          else if (event.item.type === 'reasoning') finishReasoning(event.item, texts);
      }
    },
  };
}

interface OpenTexts {
  readonly send: (kind: TextKind, piece: string) => void;
  readonly items: Map<string, OpenText>;
}

interface OpenText {
  readonly kind: TextKind;
  /** The text of a reasoning item that is sent. The other text says the same in other words. */
  readonly source: Source | undefined;
  sent: string;
  /** Text before the next piece. */
  gap: string;
}

type Source = 'summary' | 'raw';

const BLANK_LINE = '\n\n';

/** Returns the text of an item; created by its first piece. */
function textOf(id: string, kind: TextKind, { items }: OpenTexts, source?: Source): OpenText {
  const key = kind === 'refusal' ? `refusal of ${id}` : id;
  const known = items.get(key);
  if (known !== undefined) return known;
  const follows = [...items.values()].some((text) => text.kind === kind && text.sent !== '');
  const text: OpenText = { kind, source, sent: '', gap: follows ? BLANK_LINE : '' };
  items.set(key, text);
  return text;
}

function add(text: OpenText, piece: string, { send }: OpenTexts): void {
  if (piece === '') return;
  const inside = text.sent === '' ? '' : text.gap;
  const whole = text.gap + piece;
  text.sent += inside + piece;
  text.gap = '';
  send(text.kind, whole);
}

function beginSection(text: OpenText): void {
  if (text.source === 'summary' && text.sent !== '') text.gap = BLANK_LINE;
}

function finishMessage(item: MessageItem, texts: OpenTexts): void {
  const id = idOf(item, texts);
  const said = item.content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : ''));
  const refused = item.content.map((part) => (part.type === 'refusal' ? part.refusal : ''));
  addRest(textOf(id, 'text', texts), said.join(''), texts);
  addRest(textOf(id, 'refusal', texts), refused.join(''), texts);
}

function finishReasoning(item: ReasoningItem, texts: OpenTexts): void {
  const raw = (item.content ?? []).map(({ text }) => text).join('');
  const summary = item.summary.map(({ text }) => text).join(BLANK_LINE);
  const text = textOf(idOf(item, texts), 'reasoning', texts, raw === '' ? 'summary' : 'raw');
  addRest(text, text.source === 'raw' ? raw : summary, texts);
}

/** Sends the part of a text that its pieces left out. */
function addRest(text: OpenText, whole: string, texts: OpenTexts): void {
  text.gap = text.sent === '' ? text.gap : '';
  if (whole.startsWith(text.sent)) add(text, whole.slice(text.sent.length), texts);
}

/** Returns the id of an item. An item without an id had no pieces. */
function idOf({ id }: Item, { items }: OpenTexts): string {
  return typeof id === 'string' ? id : `item ${items.size}`;
}
