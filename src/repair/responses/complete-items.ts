import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import type { FinishEnd } from '../finish.ts';
import { inputField } from './call.ts';
import { hasHole } from './damaged-frame.ts';
import { itemEvents } from './made-items.ts';
import type { OpenCallItem, OpenItem, OpenReasoning } from './open-item.ts';
import { pairItems } from './pair-items.ts';
import type { ResponsesRepairState } from './response-state.ts';
import type { TextPart } from './text-part.ts';

/**
 * Completes the items that were announced and not completed, and sends the items that stand only in the list at the end
 * (H10). Calls that are not whole stay open.
 */
export function completeItems(output: unknown, end: FinishEnd, response: ResponsesRepairState): void {
  const { items, completed, reporter } = response;
  const list = Array.isArray(output) ? output.filter(isRecord) : [];
  const open = items.all;
  const streamed = [...completed.map(({ came }) => came), ...open.map(({ announced }) => announced)];
  const { listed, left } = pairItems(streamed, list);
  const entryOf = (item: OpenItem) => listed.get(item.announced);
  const made = new Map<OpenItem, Fields>();
  for (const item of open) {
    const done = hasEnded(item) ? undefined : completeItem(item, entryOf(item), end, response);
    if (done !== undefined) made.set(item, done);
  }
  for (const item of left) {
    reporter.report('H10', { before: 'not streamed', after: item });
    for (const event of itemEvents(item, items.nextIndex)) response.feed(event);
    response.changed = true;
  }
  // The position of a call must not depend on whether its end was sent or made up, so both kinds of ends wait until
  // now.
  response.completing = end === 'signal';
  for (const call of items.all.filter(hasEnded)) {
    const done = endAgain(call, entryOf(call), response);
    if (done !== undefined) made.set(call, done);
  }
  for (const [item, done] of made) {
    if (items.isOpen(item)) continue;
    reporter.report('H10', { before: item.announced, after: done });
    response.changed = true;
  }
  const renamed = completed.find(({ came }) => hasOtherId(came, listed.get(came)));
  if (renamed === undefined) return;
  reporter.report('H10', { before: listed.get(renamed.came)?.id, after: renamed.came.id });
  response.changed = true;
}

type EndedCall = OpenCallItem & { readonly ended: Fields };

function hasEnded(item: OpenItem): item is EndedCall {
  return item.type === 'call' && item.ended !== undefined;
}

/** Makes up the end of an item. Returns the completed item; undefined if too little of it came. */
function completeItem(
  item: OpenItem,
  entry: Fields | undefined,
  end: FinishEnd,
  response: ResponsesRepairState,
): Fields | undefined {
  // Another item may have used its index in the meantime.
  response.items.open(item);
  const pieces = hasHole(item, response) ? undefined : formed(item, end);
  const done = isSame(item, entry) ? entry : (pieces ?? entry);
  if (done !== undefined) response.feed(doneEvent(item, done));
  return done;
}

/** Reads the end of a call again that was not whole before. Returns the listed call if that replaced it. */
function endAgain(call: EndedCall, entry: Fields | undefined, response: ResponsesRepairState): Fields | undefined {
  response.items.open(call);
  response.feed(doneEvent(call, call.ended));
  if (entry === undefined || !response.items.isOpen(call)) return undefined;
  response.feed(doneEvent(call, entry));
  return entry;
}

/** Reports whether a call is whole. Without a finish signal nothing is added to it. */
export function isWhole({ kind, input, identity, ended }: OpenCallItem, end: FinishEnd): boolean {
  if (ended !== undefined || input.hasHole || identity.name === undefined || kind === 'local_shell_call') return false;
  if (kind === 'custom_tool_call') return input.end === 'whole';
  return end === 'signal' || input.state === 'complete';
}

/** Reports whether the ids of a listed item and of an announced item are the same. */
function isSame({ announced }: OpenItem, entry: Fields | undefined): entry is Fields {
  if (entry === undefined) return false;
  const has = (name: string) => wordOf(entry[name]) !== undefined && entry[name] === announced[name];
  return has('id') || has('call_id');
}

function doneEvent({ id, index }: OpenItem, item: Fields): Fields {
  const own = id === undefined ? item : { ...item, id };
  return { type: 'response.output_item.done', output_index: index, item: own };
}

/** Returns an item made of its deltas. */
function formed(item: OpenItem, end: FinishEnd): Fields | undefined {
  const done = { ...item.announced, ...(item.announced.status !== undefined && { status: 'completed' }) };
  switch (item.type) {
    case 'message':
      return item.parts.size === 0 ? undefined : { ...done, content: [] };
    case 'reasoning':
      return item.content.size + item.summary.size === 0 ? undefined : { ...done, ...reasoningTexts(item) };
    case 'call':
      return isWhole(item, end) ? { ...done, [inputField(item.kind)]: item.input.came } : undefined;
    case 'other':
      return undefined;
  }
}

function reasoningTexts({ content, summary }: OpenReasoning): Fields {
  const texts = (parts: ReadonlyMap<unknown, TextPart>, type: string) =>
    Array.from(parts.values(), (part) => {
      part.end('');
      part.settle(false);
      return { type, text: part.whole ?? '' };
    });
  return { summary: texts(summary, 'summary_text'), content: texts(content, 'reasoning_text') };
}

function hasOtherId(came: Fields, listed: Fields | undefined): boolean {
  const { id } = fieldsOf(listed);
  return typeof id === 'string' && typeof came.id === 'string' && id !== came.id;
}
