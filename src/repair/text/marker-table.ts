import type { Construct, ScannerState } from './construct.ts';

/** Markers of constructs, by their first character. */
export class MarkerTable {
  /** Role of each character for the markers that count anywhere. */
  readonly #roles = new Uint8Array(0x10000);
  readonly #markers = new Map<number, Marker[]>();
  /** Finds the same places as `next`; faster in long texts, slower in short ones. */
  readonly #pattern: RegExp;

  /** Constructs must come in the order in which they are tried. */
  constructor(constructs: readonly Construct[]) {
    for (const space of ' \t\r') this.#roles[space.charCodeAt(0)] = SPACE;
    this.#roles[NEWLINE] = LINE_BREAK;
    for (const construct of constructs) for (const text of construct.markers) this.#add(text, construct);
    this.#pattern = patternOf(this.#roles, [...this.#markers.keys()]);
  }

  /**
   * Returns the next index, from `from` on, where a construct may begin; the length of the text if there is no such
   * index. `lineStarts`: nothing visible came on the line before.
   */
  next(text: string, from: number, lineStarts: boolean): number {
    const roles = this.#roles;
    let isStart = lineStarts;
    for (let at = from; at < text.length; at++) {
      if (!isStart && at - from >= SHORT) return this.#search(text, at);
      const role = roles[text.charCodeAt(at)];
      if (role === OTHER) isStart = false;
      else if (role === LINE_BREAK) isStart = true;
      else if (role === BEGINS || (role === BEGINS_LINE && isStart)) return at;
      else if (role === BEGINS_LINE) isStart = false;
    }
    return text.length;
  }

  /** Returns the constructs that begin at an index. `wait`: the decision needs more of the text. */
  at(text: string, at: number, { ended, state, allows }: MarkerQuery): readonly Construct[] | 'wait' {
    const markers = this.#markers.get(text.charCodeAt(at));
    if (markers === undefined) return NONE;
    const found: Construct[] = [];
    const left = text.length - at;
    const second = left > 1 ? text.charCodeAt(at + 1) : ANY;
    for (const { text: marker, second: wanted, isWord, construct } of markers) {
      if (wanted !== second && wanted !== ANY && second !== ANY) continue;
      const whole = left >= marker.length;
      if (!(whole ? text.startsWith(marker, at) : !ended && marker.startsWith(text.slice(at)))) continue;
      if ((isWord && !state.markdown.lineStarts) || !allows(construct) || !construct.applies(state)) continue;
      if (!whole) return 'wait';
      if (!found.includes(construct)) found.push(construct);
    }
    return found;
  }

  #search(text: string, from: number): number {
    this.#pattern.lastIndex = from;
    return this.#pattern.test(text) ? this.#pattern.lastIndex - 1 : text.length;
  }

  #add(text: string, construct: Construct): void {
    const first = text.charCodeAt(0);
    const isWord = WORD.test(text);
    const role = isWord ? BEGINS_LINE : BEGINS;
    if (!construct.atStart && this.#roles[first] !== BEGINS) this.#roles[first] = role;
    const markers = this.#markers.get(first) ?? [];
    this.#markers.set(first, markers);
    markers.push({ text, second: text.length > 1 ? text.charCodeAt(1) : ANY, isWord, construct });
  }
}

export interface MarkerQuery {
  /** Whether all of the text has come. */
  readonly ended: boolean;
  readonly state: ScannerState;
  readonly allows: (construct: Construct) => boolean;
}

interface Marker {
  readonly text: string;
  readonly second: number;
  /**
   * Whether the marker begins with a letter. It counts only at the beginning of lines: elsewhere every piece that ends
   * in the letter would be held back.
   */
  readonly isWord: boolean;
  readonly construct: Construct;
}

const OTHER = 0;
const SPACE = 1;
const LINE_BREAK = 2;
const BEGINS = 3;
const BEGINS_LINE = 4;

const NEWLINE = 0x0a;
const ANY = -1;
const WORD = /^\p{L}/u;
/** The length from which on a pattern is faster than a loop. */
const SHORT = 48;

function patternOf(roles: Uint8Array, firsts: readonly number[]): RegExp {
  const charactersOf = (role: number) =>
    firsts
      .filter((code) => roles[code] === role)
      .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
      .join('');
  return new RegExp(`[${charactersOf(BEGINS)}]|\\n[ \\t\\r]*[${charactersOf(BEGINS_LINE)}]`, 'g');
}

const NONE: readonly Construct[] = [];
