import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import { scanWhole } from '../text/scan-whole.ts';
import type { CallSegment } from '../text/segment.ts';
import { hasHole, noteLoss } from './damaged-frame.ts';
import type { EventFrame } from './event-frame.ts';
import { messageContent, textPart, textsOf } from './item-shapes.ts';
import { openMessage } from './message.ts';
import type { OpenMessage } from './open-item.ts';
import { isRepeated } from './repeated-item.ts';
import { madeItemId, passUnknown, type RepairStep, type ResponsesRepairState } from './response-state.ts';

/** Reads the announcement of a message, and holds it back until the message has a text. */
export const messageAdded: RepairStep = (frame, response) => {
  const message = openMessage(frame.json, response);
  response.items.open(message);
  response.output.hold(message, frame);
};

/** Reads a piece of a message's text. */
export const textDelta: RepairStep = (frame, response) => {
  const { delta, content_index } = frame.json;
  const message = typeof delta === 'string' ? messageOf(frame.json, response) : undefined;
  if (message === undefined || typeof delta !== 'string') passUnknown(frame, response);
  else {
    const part = message.part(content_index);
    part.push(delta, frame);
    const { item_id: itemId, output_index: outputIndex } = frame.json;
    const isHere = response.items.isPlain && response.undecided === undefined;
    if (part.isRunning && isHere) response.running = { part, itemId, outputIndex, contentIndex: content_index };
  }
};

/** Reads the announcement of a part of a message. */
export const partAdded: RepairStep = (frame, response) => {
  const { items, output } = response;
  const { item_id, output_index } = frame.json;
  const message = items.find(item_id, output_index, 'message');
  if (message !== undefined && output.waitsFor(message)) output.hold(message, frame);
  else output.pass(frame);
};

/** Reads the end of a part of a message. */
export const partDone: RepairStep = (frame, response) => {
  const part = fieldsOf(frame.json.part);
  if (part.type !== 'output_text') response.output.pass(frame);
  else closeText(frame, response, { whole: part.text, changes: (text) => ({ part: { ...part, text } }) });
};

/** Reads the whole text of a part. */
export const textDone: RepairStep = (frame, response) => {
  closeText(frame, response, { whole: frame.json.text, changes: (text) => ({ text }) });
};

/** Reads the end of a message. */
export const messageDone: RepairStep = (frame, response) => {
  const { items, output, completed, found } = response;
  const { json: event } = frame;
  const item = fieldsOf(event.item);
  const known = items.find(item.id, event.output_index, 'message');
  const message = known ?? openMessage(event, response);
  for (const part of message.parts.values()) message.endPart(part, '');
  const content = messageContent(item, message, response);
  if (hasHole(message, response) && isUnsure(item, response)) noteLoss(response);
  const texts = withSentTexts(content, message);
  const isGone = message.vanishes;
  const isChanged = content !== item.content || message.isTouched;
  const next = isChanged ? { ...item, content: texts } : item;
  items.close(message);
  // The message may repeat one that was completed before and was repaired in another way.
  if (known === undefined && isChanged && isRepeated({ ...event, item: next }, response)) {
    return response.reporter.report('H19', { before: item, after: '' });
  }
  // Blocks that ended an earlier message are text if this message says more.
  const lead = known === undefined && message.said ? found.splice(0) : [];
  const went = lead.length === 0 ? next : withLead(next, lead);
  found.push(...message.found);
  const index = event.output_index;
  completed.push(isGone ? { came: item, went: undefined, index, blocks: message.found } : { came: item, went, index });
  response.changed ||= went !== item;
  if (isGone) output.forget();
  else if (went !== item) output.rewrite(frame, { item: went });
  else output.pass(frame);
};

/** Returns a message with blocks before its first text. */
function withLead(item: Fields, blocks: readonly CallSegment[]): Fields {
  let lead = blocks.map(({ text }) => text).join('');
  const content = (Array.isArray(item.content) ? item.content : []).map((value: unknown) => {
    const part = fieldsOf(value);
    if (part.type !== 'output_text' || lead === '') return value;
    const text = lead + String(part.text);
    lead = '';
    return { ...part, text };
  });
  return { ...item, content };
}

/**
 * Reports whether the whole text of a message does not make up for a missing piece: the text is empty, or has calls.
 */
function isUnsure({ content }: Fields, response: ResponsesRepairState): boolean {
  const text = wordOf(content) ?? textsOf(content).join('');
  return text === '' || scanWhole(text, response.context).some(({ type }) => type === 'calls');
}

/** Returns the message that a piece of text belongs to. Announces it if the server did not (H9). */
function messageOf(event: Fields, response: ResponsesRepairState): OpenMessage | undefined {
  const { items, output, reporter } = response;
  const known = items.find(event.item_id, event.output_index, 'message');
  if (known !== undefined || items.isClosed(event.item_id)) return known;
  const { output_index, content_index = 0 } = event;
  const id = wordOf(event.item_id) ?? madeItemId('message', items.nextIndex, response);
  const item = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] };
  const message = openMessage({ output_index, item }, response);
  items.open(message);
  reporter.report('H9', { before: event.type, after: 'response.output_item.added' });
  output.holdMade(message, 'response.output_item.added', { output_index, item });
  const part = { item_id: id, output_index, content_index, part: textPart('') };
  output.holdMade(message, 'response.content_part.added', part);
  return message;
}

interface Closing {
  /** Text of the event. */
  readonly whole: unknown;
  /** Returns the changes of the event for another text. */
  readonly changes: (text: string) => Fields;
}

function closeText(frame: EventFrame, { items, output }: ResponsesRepairState, { whole, changes }: Closing): void {
  const { item_id, output_index, content_index } = frame.json;
  const message = items.find(item_id, output_index, 'message');
  if (message === undefined) {
    output.pass(frame);
    return;
  }
  const text = typeof whole === 'string' ? whole : '';
  const part = message.part(content_index);
  message.endPart(part, text);
  if (message.vanishes) return;
  if (part.touched) output.rewrite(frame, changes(part.wholeFrom(text)));
  else output.pass(frame);
}

/**
 * Returns the parts of a message with the texts that went out. Texts are matched by order, since not all servers number
 * them.
 */
function withSentTexts(content: readonly unknown[], message: OpenMessage): readonly unknown[] {
  const known = [...message.parts.values()];
  let n = 0;
  const ended = content.map((value) => {
    const part = fieldsOf(value);
    if (part.type !== 'output_text' || typeof part.text !== 'string') return () => value;
    const { text } = part;
    const given = known[n] ?? message.part(-1 - n);
    n++;
    message.endPart(given, text);
    return () => (given.touched ? { ...part, text: given.wholeFrom(text) } : value);
  });
  // A later part may change an earlier one.
  return ended.map((read) => read());
}
