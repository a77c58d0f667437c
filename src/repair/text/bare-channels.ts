import { type ConstructOutcome, PLAIN_TEXT, type ScannerState } from './construct.ts';
import type { Cursor } from './cursor.ts';
import type { TextCall } from './dialect.ts';
import { readArguments } from './dialects/parts/arguments-text.ts';
import { nameInBlock } from './dialects/parts/name-in-block.ts';
import type { DialectReading } from './dialects/parts/reading.ts';
import { takeWord } from './dialects/parts/take-word.ts';
import type { Segment } from './segment.ts';

/**
 * Reads an answer in channels whose marks lost their brackets: `analysisWe need …assistantcommentary to=functions.TOOL
 * json{…}assistantfinalThe …`. Waits for a second mark, or for the end of the answer.
 */
export function* readBareChannels(
  cursor: Cursor,
  { tools }: ScannerState,
): DialectReading<ConstructOutcome | undefined> {
  const found: Section[] = [];
  let channel = yield* readFirstMark(cursor);
  if (channel === undefined) return undefined;
  let decided = false;
  while (channel !== undefined && channel !== 'final') {
    const from = cursor.position;
    if (channel === 'commentary' && (yield* cursor.take(' to='))) {
      const call = yield* readCall(cursor, tools);
      if (call === undefined) return undefined;
      found.push({ type: 'calls', call, from, to: cursor.position });
      decided = true;
    }
    const type = channel === 'analysis' ? 'reasoning' : 'text';
    const start = cursor.position;
    channel = yield* readUpToMark(cursor);
    const to: number = cursor.position - (channel === undefined ? 0 : `assistant${channel}`.length);
    if (to > start) found.push({ type, from: start, to });
    decided ||= channel !== undefined;
  }
  if (!decided) return undefined;
  return { type: 'switch', into: PLAIN_TEXT, repair: 'D11', newlines: 0, parts: partsOf(cursor.text, found) };
}

type Channel = 'analysis' | 'commentary' | 'final';

type Section = { readonly from: number; readonly to: number } & (
  | { readonly type: 'text' | 'reasoning' }
  | { readonly type: 'calls'; readonly call: TextCall }
);

const CHANNELS: readonly Channel[] = ['analysis', 'commentary', 'final'];
const UPPER_CASE = /\p{Lu}/u;

function* readFirstMark(cursor: Cursor): DialectReading<Channel | undefined> {
  if (yield* cursor.take('commentary')) return 'commentary';
  yield* cursor.take('analysis');
  return UPPER_CASE.test((yield* cursor.peek()) ?? '') ? 'analysis' : undefined;
}

/** Reads up to the next mark, and the mark. Undefined at the end of the answer. */
function* readUpToMark(cursor: Cursor): DialectReading<Channel | undefined> {
  while ((yield* cursor.until('assistant')) !== undefined) {
    for (const channel of CHANNELS) if (yield* cursor.take(channel)) return channel;
  }
  return undefined;
}

function* readCall(cursor: Cursor, tools: ScannerState['tools']): DialectReading<TextCall | undefined> {
  const name = nameInBlock(cursor, yield* takeWord(cursor, ' \n{<'), tools);
  if (name === undefined) return undefined;
  yield* cursor.space();
  yield* cursor.take('<|constrain|>');
  yield* takeWord(cursor, '{<\n');
  const text = yield* readArguments(cursor, tools.get(name), []);
  if (!cursor.jsonIsWhole && (yield* cursor.peek()) !== undefined) return undefined;
  return text === undefined ? undefined : { name, arguments: text };
}

function partsOf(text: string, sections: readonly Section[]): readonly Segment[] {
  return sections.map((section): Segment => {
    const own = text.slice(section.from, section.to);
    if (section.type !== 'calls') return { type: section.type, text: own };
    const calls = [section.call];
    const raw = `commentary${own}`;
    return { type: 'calls', id: 'D11', kind: 'token', calls, within: 'text', raw, text: raw };
  });
}
