import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Segment } from '../text/segment.ts';
import { isBlank } from '../white-space.ts';
import { type Choice, contentScanner, reasoningScanner, restOf, type TextChannel } from './choice-state.ts';
import { bareUnit, restFrame, type Unit, unitWith } from './chunk.ts';
import { emitDeferred } from './text-calls.ts';

/** Reads text of the answer. The unit has no other content. */
export function takeContent(choice: Choice, unit: Unit, content: string): void {
  choice.response.text.add(content);
  if (choice.reasoning.scanner !== undefined && !isBlank(content)) endReasoning(choice, bareUnit(unit));
  takeSegments(choice, choice.content, { unit, came: content }, contentScanner(choice).push(content));
}

/** Reads reasoning, of which `news` is new. The unit has no other content. */
export function takeReasoningText(choice: Choice, { unit, came }: TextUnit, news: string): void {
  choice.response.text.add(came ?? news);
  const segments = news === '' ? [] : reasoningScanner(choice).push(news);
  takeSegments(choice, choice.reasoning, { unit, came }, segments);
}

/** Reads a refusal: an answer that is not scanned. */
export function takeRefusal(choice: Choice, unit: Unit): void {
  endReasoning(choice, bareUnit(unit));
  beginText(choice, unit);
}

/** Ends the reasoning for now. Held reasoning goes out. */
function endReasoning(choice: Choice, base: Unit, isCut = false): void {
  const rest = choice.snapshots.end();
  const scanner = rest === '' ? choice.reasoning.scanner : reasoningScanner(choice);
  if (scanner === undefined) return;
  choice.reasoning.scanner = undefined;
  takeEnd(choice, choice.reasoning, base, [...(rest === '' ? [] : scanner.push(rest)), ...scanner.end(isCut)]);
}

/** Ends all texts. `isCut`: more of them may have been about to follow. */
export function endTexts(choice: Choice, base: Unit, isCut: boolean): void {
  endReasoning(choice, base, isCut);
  const { scanner } = choice.content;
  choice.content.scanner = undefined;
  if (scanner !== undefined) takeEnd(choice, choice.content, base, scanner.end(isCut));
}

/** Notes that the answer has begun. Calls in the reasoning before it were only thought of. */
function beginText(choice: Choice, unit: Unit): void {
  choice.hasText = true;
  choice.thoughts = undefined;
  if (choice.deferred.length > 0) emitDeferred(choice, bareUnit(unit));
}

export interface TextUnit {
  readonly unit: Unit;
  /** Text of the unit; undefined if it will not go out unchanged. */
  readonly came: string | undefined;
}

function takeSegments(
  choice: Choice,
  channel: TextChannel,
  { unit, came }: TextUnit,
  segments: readonly Segment[],
): void {
  const plain = takePlain(choice, channel, unit, segments);
  if (plain === undefined) writeSegments(choice, channel, unit, segments);
  else if (came === undefined) channel.held.replace(unit, plain);
  else channel.held.pass(unit, came, plain);
}

/** Reads the segments at the end of a channel, which have no frame. */
function takeEnd(choice: Choice, channel: TextChannel, base: Unit, segments: readonly Segment[]): void {
  const plain = takePlain(choice, channel, base, segments);
  if (plain === undefined) writeSegments(choice, channel, base, segments);
  else {
    const left = channel.held.finish(plain);
    if (left !== '') choice.response.queue.put(unitWith(base, textFields(choice, channel.type, left)).frame);
  }
}

/**
 * Returns the text that goes out, besides deferred segments, if the segments are only one text. Undefined otherwise.
 */
function takePlain(choice: Choice, channel: TextChannel, unit: Unit, segments: readonly Segment[]): string | undefined {
  const [first] = segments;
  const isFree = channel.type === 'text' || choice.deferred.length === 0;
  if (isFree && segments.length === 1 && first?.type === channel.type) {
    note(choice, unit, channel.type, first.text);
    return first.text;
  }
  return takeLeading(choice, channel, unit, segments);
}

/** Does the same for any segments. Frames with deferred reasoning keep their places. */
function takeLeading(
  choice: Choice,
  channel: TextChannel,
  unit: Unit,
  segments: readonly Segment[],
): string | undefined {
  const isDeferring = channel.type === 'reasoning' && choice.deferred.length > 0;
  const other = isDeferring ? 0 : segments.findIndex(({ type }) => type !== channel.type);
  const count = other < 0 ? segments.length : other;
  const rest = segments.slice(count);
  const isReasoning = channel.type === 'reasoning' && rest.every(({ type }) => type !== 'text');
  if (rest.length > 0 && !isReasoning) return undefined;
  const plain = segments
    .slice(0, count)
    .map(({ text }) => text)
    .join('');
  note(choice, unit, channel.type, plain);
  choice.deferred.push(...rest);
  channel.held.locked = channel.type === 'reasoning' && choice.deferred.length > 0;
  return plain;
}

/** Emits each segment in a frame of its own. Calls wait for the end, and held text goes out in its own frames. */
function writeSegments(choice: Choice, channel: TextChannel, unit: Unit, segments: readonly Segment[]): void {
  const { queue } = choice.response;
  const [first, ...others] = segments;
  const isLead = first?.type === channel.type;
  if (isLead) note(choice, unit, channel.type, first.text);
  const lead = { type: channel.type, text: channel.held.finish(isLead ? first.text : '') };
  let next = unit;
  let rest: Fields = restOf(unit.delta);
  for (const segment of [lead, ...(isLead ? others : segments)]) {
    if (setAside(choice, segment) || segment.text === '') continue;
    const { type, text } = segment;
    if (segment !== lead) note(choice, unit, type, text);
    queue.put(unitWith(next, { ...rest, ...textFields(choice, type, text) }).frame);
    next = bareUnit(unit);
    rest = {};
  }
  const left = next === unit ? restFrame(unit, rest) : undefined;
  if (left !== undefined) queue.put(left);
}

type TextSegment = Exclude<Segment, { type: 'calls' }>;

/** Keeps calls, and reasoning after them, until it is clear what they are. */
function setAside(choice: Choice, segment: Segment): segment is Exclude<Segment, TextSegment> {
  const isCalls = segment.type === 'calls';
  if (isCalls && segment.within === 'text') choice.found.push(segment);
  else if (isCalls || (segment.type === 'reasoning' && choice.deferred.length > 0)) choice.deferred.push(segment);
  else return false;
  return true;
}

function textFields({ reasoningName }: Choice, type: 'text' | 'reasoning', text: string): Fields {
  return { [type === 'text' ? 'content' : reasoningName]: text };
}

/** The most pieces of reasoning that are kept. No answer is that long. */
const MAX_THOUGHTS = 64 * 1024;

function keepThought(choice: Choice, text: string): void {
  if (choice.thoughts === undefined) return;
  choice.thoughts.push(text);
  if (choice.thoughts.length > MAX_THOUGHTS) choice.thoughts = undefined;
}

/** Notes text that goes out now. */
function note(choice: Choice, unit: Unit, type: 'text' | 'reasoning', text: string): void {
  if (type === 'reasoning') keepThought(choice, text);
  else if ((!choice.hasText || choice.deferred.length > 0) && !isBlank(text)) beginText(choice, unit);
}
