import { graphemes } from '../../text/graphemes.ts';

/** Characters that are looked at on one side of a place, so that a step in a long line does not cost the whole line. */
const REACH = 1024;

/** Characters up to this one never join, except a carriage return and a line feed, of which drafts have only the second. */
const LAST_SIMPLE = 0x2ff;

/** Returns the beginning of the line around a place. */
export const lineStartOf = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);

/** Returns the end of the line around a place. */
export function lineEndOf(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

/** Returns the nearest place between two graphemes that is not before `at`. */
export function boundaryFrom(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(0, at), text.length);
  if (isSimple(text, at - 1) && isSimple(text, at)) return at;
  let end = reachStart(text, at);
  for (const grapheme of graphemes(text.slice(end, at + REACH))) {
    end += grapheme.length;
    if (end >= at) break;
  }
  return end;
}

/** Returns the beginning of the grapheme before a place. */
export function graphemeBefore(text: string, at: number): number {
  if (at <= 1) return 0;
  if (isSimple(text, at - 1) && isSimple(text, at - 2)) return at - 1;
  const start = reachStart(text, at);
  const last = graphemes(text.slice(start, at)).at(-1) ?? '';
  return at - Math.max(1, last.length);
}

/** Returns the end of the grapheme after a place. */
export function graphemeAfter(text: string, at: number): number {
  if (at >= text.length - 1) return text.length;
  if (isSimple(text, at) && isSimple(text, at + 1)) return at + 1;
  return at + Math.max(1, graphemes(text.slice(at, at + REACH))[0]?.length ?? 1);
}

/** Returns the place to begin from to find the graphemes around a place: the line feed before it, or not too far away. */
function reachStart(text: string, at: number): number {
  const from = Math.max(0, at - REACH);
  // The line feed itself counts, since no grapheme goes over it to the left.
  const feed = text.slice(from, at).lastIndexOf('\n');
  if (feed >= 0 || from === 0) return from + Math.max(0, feed);
  for (let place = from; place < at; place += 1) if (isSimple(text, place - 1) && isSimple(text, place)) return place;
  const isInPair = (text.charCodeAt(from) & 0xfc00) === 0xdc00;
  return from + (isInPair ? 1 : 0);
}

const isSimple = (text: string, at: number) => text.charCodeAt(at) <= LAST_SIMPLE;

/** Returns the beginning of the word before a place, over the spaces between. `stop` is the lowest place to return. */
export function wordBefore(text: string, at: number, stop: number): number {
  let place = at;
  const kindBefore = () => kindOf(text.slice(graphemeBefore(text, place), place));
  while (place > stop && kindBefore() === 'space') place = graphemeBefore(text, place);
  if (place <= stop) return stop;
  const kind = kindBefore();
  while (place > stop && kindBefore() === kind) place = graphemeBefore(text, place);
  return Math.max(stop, place);
}

/** Returns the end of the word after a place, over the spaces between. `stop` is the highest place to return. */
export function wordAfter(text: string, at: number, stop: number): number {
  let place = at;
  const kindAfter = () => kindOf(text.slice(place, graphemeAfter(text, place)));
  while (place < stop && kindAfter() === 'space') place = graphemeAfter(text, place);
  if (place >= stop) return stop;
  const kind = kindAfter();
  while (place < stop && kindAfter() === kind) place = graphemeAfter(text, place);
  return Math.min(stop, place);
}

function kindOf(grapheme: string): 'space' | 'word' | 'sign' {
  if (/^\s/.test(grapheme)) return 'space';
  return /^[\p{L}\p{N}_]/u.test(grapheme) ? 'word' : 'sign';
}
