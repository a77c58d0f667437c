import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Segment } from '../text/segment.ts';
import { isBlank } from '../white-space.ts';
import { type Choice, contentScanner, reasoningScanner, restOf, type TextChannel } from './choice-state.ts';
import { bareUnit, restFrame, type Unit, unitWith } from './chunk.ts';
import { emitDeferred } from './text-calls.ts';

/** Text of the answer. The unit has nothing else to say. */
export function takeContent(choice: Choice, unit: Unit, content: string): void {
  if (choice.reasoning.scanner !== undefined && !isBlank(content)) endReasoning(choice, bareUnit(unit));
  takeSegments(choice, choice.content, { unit, came: content }, contentScanner(choice).push(content));
}

/** Reasoning of which so much is new. The unit has nothing else to say. */
export function takeReasoningText(choice: Choice, { unit, came }: TextUnit, news: string): void {
  const segments = news === '' ? [] : reasoningScanner(choice).push(news);
  takeSegments(choice, choice.reasoning, { unit, came }, segments);
}

/** A refusal is an answer that no scanner reads. */
export function takeRefusal(choice: Choice, unit: Unit): void {
  endReasoning(choice, bareUnit(unit));
  beginText(choice, unit);
}

/** No more reasoning comes for now: what was held of it goes out. */
function endReasoning(choice: Choice, base: Unit): void {
  const rest = choice.snapshots.end();
  const scanner = rest === '' ? choice.reasoning.scanner : reasoningScanner(choice);
  if (scanner === undefined) return;
  choice.reasoning.scanner = undefined;
  takeEnd(choice, choice.reasoning, base, [...(rest === '' ? [] : scanner.push(rest)), ...scanner.end()]);
}

/** All of the texts has come. */
export function endTexts(choice: Choice, base: Unit): void {
  endReasoning(choice, base);
  const { scanner } = choice.content;
  choice.content.scanner = undefined;
  if (scanner !== undefined) takeEnd(choice, choice.content, base, scanner.end());
}

/** There is an answer now. Calls in the reasoning before it were no more than thoughts. */
function beginText(choice: Choice, unit: Unit): void {
  choice.hasText = true;
  choice.thoughts = undefined;
  if (choice.deferred.length > 0) emitDeferred(choice, bareUnit(unit));
}

export interface TextUnit {
  readonly unit: Unit;
  /** What came in it; undefined if that will not go out as it came. */
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

/** The end of a channel has no frame of its own. */
function takeEnd(choice: Choice, channel: TextChannel, base: Unit, segments: readonly Segment[]): void {
  const plain = takePlain(choice, channel, base, segments);
  if (plain === undefined) writeSegments(choice, channel, base, segments);
  else {
    const left = channel.held.finish(plain);
    if (left !== '') choice.response.queue.put(unitWith(base, textFields(channel.type, left)).frame);
  }
}

/** The text that goes out if that is all, besides what is deferred. Undefined: there is more to say than one text. */
function takePlain(choice: Choice, channel: TextChannel, unit: Unit, segments: readonly Segment[]): string | undefined {
  const [first] = segments;
  const isFree = channel.type === 'text' || choice.deferred.length === 0;
  if (isFree && segments.length === 1 && first?.type === channel.type) {
    note(choice, unit, channel.type, first.text);
    return first.text;
  }
  return takeLeading(choice, channel, unit, segments);
}

/** As `takePlain`, for any segments. Frames with deferred reasoning keep their places. */
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

/** Each stretch in a frame of its own; calls wait for the end. What frames are held for goes out in their place. */
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
    queue.put(unitWith(next, { ...rest, ...textFields(type, text) }).frame);
    next = bareUnit(unit);
    rest = {};
  }
  const left = next === unit ? restFrame(unit, rest) : undefined;
  if (left !== undefined) queue.put(left);
}

type TextSegment = Exclude<Segment, { type: 'calls' }>;

/** Keeps calls, and what stands behind them in reasoning, until it is clear what they are. */
function setAside(choice: Choice, segment: Segment): segment is Exclude<Segment, TextSegment> {
  const isCalls = segment.type === 'calls';
  if (isCalls && segment.within === 'text') choice.found.push(segment);
  else if (isCalls || (segment.type === 'reasoning' && choice.deferred.length > 0)) choice.deferred.push(segment);
  else return false;
  return true;
}

function textFields(type: 'text' | 'reasoning', text: string): Fields {
  return type === 'text' ? { content: text } : { reasoning_content: text };
}

/** Nobody answers at such length: what grows without end is not kept. */
const MAX_THOUGHTS = 64 * 1024;

function keepThought(choice: Choice, text: string): void {
  if (choice.thoughts === undefined) return;
  choice.thoughts.push(text);
  if (choice.thoughts.length > MAX_THOUGHTS) choice.thoughts = undefined;
}

/** What goes out now. */
function note(choice: Choice, unit: Unit, type: 'text' | 'reasoning', text: string): void {
  if (type === 'reasoning') keepThought(choice, text);
  else if ((!choice.hasText || choice.deferred.length > 0) && !isBlank(text)) beginText(choice, unit);
}
