import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import { reasoningItem, textsOf } from './item-shapes.ts';
import type { OpenReasoning, PartList } from './open-item.ts';
import { openReasoning } from './reasoning.ts';
import { isRepeated } from './repeated-item.ts';
import { madeItemId, passUnknown, type RepairStep, type ResponsesRepairState } from './response-state.ts';
import type { TextPart } from './text-part.ts';

/** Reads the announcement of reasoning. */
export const reasoningAdded: RepairStep = (frame, response) => {
  const { items, output } = response;
  const open = openReasoning(frame.json, response);
  items.open(open);
  const item = reasoningItem(open.announced, response);
  if (item === open.announced) output.pass(frame);
  else output.rewrite(frame, { item });
};

/** Reads a piece of reasoning. */
export function reasoningDelta(list: PartList): RepairStep {
  return (frame, response) => {
    const { delta } = frame.json;
    const item = typeof delta === 'string' ? reasoningOf(frame.json, response) : undefined;
    if (item === undefined || typeof delta !== 'string') passUnknown(frame, response);
    else item.part(list, indexOf(frame.json)).push(delta, frame);
  };
}

/** Reads the whole text of a part, which stands in the event or in the part of the event. */
export function reasoningTextDone(list: PartList): RepairStep {
  return (frame, response) => {
    const { json: event } = frame;
    const { items, output } = response;
    const item = items.find(event.item_id, event.output_index, 'reasoning');
    const holder = event.part === undefined ? event : fieldsOf(event.part);
    if (item === undefined || typeof holder.text !== 'string') return output.pass(frame);
    const part = item.part(list, indexOf(event));
    if (!endPart(part, holder.text)) return void response.undecided?.waiting.push(frame);
    const text = part.wholeFrom(holder.text);
    if (!part.touched) output.pass(frame);
    else output.rewrite(frame, holder === event ? { text } : { part: { ...holder, text } });
  };
}

/** Reads the end of reasoning. */
export const reasoningDone: RepairStep = (frame, response) => {
  const { items, output, completed } = response;
  const { json: event } = frame;
  const item = fieldsOf(event.item);
  const open = items.find(item.id, event.output_index, 'reasoning') ?? openReasoning(event, response);
  const shaped = reasoningItem(item, response);
  if (!LISTS.every((list) => endParts(open, list, shaped))) {
    if (!open.isAnnounced) items.open(open);
    return void response.undecided?.waiting.push(frame);
  }
  const next = withSentTexts(shaped, open);
  items.close(open);
  // The item may repeat one that was completed before and was repaired in another way.
  if (!open.isAnnounced && next !== item && isRepeated({ ...event, item: next }, response)) {
    dropFound(open, response);
    return response.reporter.report('H19', { before: item, after: '' });
  }
  completed.push({ came: item, went: next, index: event.output_index });
  response.changed ||= next !== item;
  if (next === item) output.pass(frame);
  else output.rewrite(frame, { item: next });
};

/** Forgets the calls of an item that does not count. */
function dropFound({ found }: OpenReasoning, { foundInReasoning }: ResponsesRepairState): void {
  const kept = foundInReasoning.filter((segment) => !found.includes(segment));
  foundInReasoning.splice(0, foundInReasoning.length, ...kept);
}

const LISTS: readonly PartList[] = ['summary', 'content'];

/** Returns the item that a piece of reasoning belongs to. Announces it if the server did not (H9). */
function reasoningOf(event: Fields, response: ResponsesRepairState): OpenReasoning | undefined {
  const { items, output, reporter } = response;
  const { item_id, output_index } = event;
  const known = items.find(item_id, output_index, 'reasoning');
  if (known !== undefined || items.isClosed(item_id)) return known;
  const id = wordOf(item_id) ?? madeItemId('reasoning', items.nextIndex, response);
  const item = { type: 'reasoning', id, summary: [] };
  const open = openReasoning({ output_index, item }, response);
  items.open(open);
  reporter.report('H9', { before: event.type, after: 'response.output_item.added' });
  output.make('response.output_item.added', { output_index, item });
  return open;
}

/** Returns the index of a part. Text with a damaged index belongs to the first part, as in messages. */
function indexOf(event: Fields): number {
  const index = event.content_index ?? event.summary_index;
  return typeof index === 'number' ? index : 0;
}

/** Ends a part. Returns false if the part waits for a decision; then the event is read again later. */
function endPart(part: TextPart, whole: string): boolean {
  part.end(whole);
  if (!part.isPaused) part.settle(false);
  return !part.isPaused;
}

function endParts(open: OpenReasoning, list: PartList, item: Fields): boolean {
  return textsOf(item[list]).every((text, n) => {
    const part = [...open[list].values()][n] ?? open.part(list, `text ${n}`);
    return endPart(part, text);
  });
}

function withSentTexts(item: Fields, open: OpenReasoning): Fields {
  const lists = LISTS.flatMap((list) => {
    const parts = [...open[list].values()];
    return parts.some(({ touched }) => touched) ? [[list, sentTexts(item[list], parts)]] : [];
  });
  return lists.length === 0 ? item : { ...item, ...Object.fromEntries(lists) };
}

function sentTexts(list: unknown, parts: readonly TextPart[]): readonly unknown[] {
  let n = 0;
  return (Array.isArray(list) ? list : []).map((value: unknown) => {
    const { text } = fieldsOf(value);
    const part = typeof text === 'string' ? parts[n++] : undefined;
    return part === undefined || typeof text !== 'string' ? value : { ...fieldsOf(value), text: part.wholeFrom(text) };
  });
}
