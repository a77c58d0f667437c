import { type Construct, PLAIN_TEXT, type Region, type ScannerState } from './construct.ts';
import type { Cursor } from './cursor.ts';

/** Region in which an answer begins that has only a closing think tag. */
export const OPEN_REASONING: Region = { type: 'reasoning', closers: ['</think>', '</thinking>'], inChannel: false };

const OPENERS = ['<think>', '<thinking>'];

/** Reasoning between tags at the beginning of an answer, and the tags that end it. */
export const THINK_TAGS: readonly Construct[] = [
  {
    markers: OPENERS,
    atStart: true,
    isShort: true,
    applies: (state) => areRead(state) && mayOpen(state),
    *read(cursor) {
      const closers = [(yield* takeOne(cursor, OPENERS)) === '<think>' ? '</think>' : '</thinking>'];
      return { type: 'switch', into: { type: 'reasoning', closers, inChannel: false }, repair: 'E2', newlines: 1 };
    },
  },
  {
    markers: OPENERS,
    atStart: false,
    isShort: true,
    applies: (state) => areRead(state) && state.region.type === 'text' && !state.markdown.inCode,
    *read(cursor) {
      yield* takeOne(cursor, OPENERS);
      return { type: 'mention', openTags: 1 };
    },
  },
  {
    markers: OPEN_REASONING.closers,
    atStart: false,
    isShort: true,
    // A fence that was left open must not make reasoning of the whole answer.
    applies: (state) =>
      areRead(state) && !state.markdown.inline && (state.region.type === 'reasoning' || !state.markdown.fenced),
    *read(cursor, state) {
      const { region } = state;
      const tag = (yield* takeOne(cursor, OPEN_REASONING.closers)) ?? '';
      if (region.type === 'reasoning' && !region.closers.includes(tag)) return undefined;
      if (region.type === 'text' && state.openTags > 0) return { type: 'mention', openTags: -1 };
      if (isMentioned(state, yield* cursor.ahead(2))) return undefined;
      const into = region.type === 'reasoning' ? PLAIN_TEXT : region;
      return { type: 'switch', into, repair: 'E3', newlines: 2 };
    },
  },
];

/** Reports whether reasoning may begin: at the beginning of the answer. */
function mayOpen({ region, fresh, said, spoke, followsCalls }: ScannerState): boolean {
  return region === PLAIN_TEXT ? !spoke && !followsCalls : region === OPEN_REASONING && fresh && !said;
}

function areRead({ channel, thinking }: ScannerState): boolean {
  return channel === 'content' && thinking !== 'text';
}

function* takeOne(cursor: Cursor, tags: readonly string[]): Generator<void, string | undefined, void> {
  for (const tag of tags) if (yield* cursor.take(tag)) return tag;
  return undefined;
}

/** Reports whether the text is about the tag: in quotation marks, or as a word of a sentence of the answer. */
function isMentioned({ region, markdown }: ScannerState, next: string): boolean {
  if (markdown.afterQuote && QUOTED.test(next)) return true;
  return region.type === 'text' && markdown.afterSpace && markdown.midSentence && SENTENCE_GOES_ON.test(next);
}

const QUOTED = /^["'”’»›」』)]/;
const SENTENCE_GOES_ON = /^(?:[ \t]?\p{Ll}|[,;.:)])/u;
