import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, QUOTE } from '../json-characters.ts';
import { isSpace, skipSpace } from '../white-space.ts';

/** Result of a comparison: the same so far and not over, the same, or another object. */
export type Comparison = 'undecided' | 'same' | 'other';

/**
 * Compares a text that arrives in pieces with an object that came before. White space outside strings does not count.
 */
export class Repetition {
  readonly object: string;
  readonly #read: string[] = [];
  /** How much of the object was found again. */
  #matched = 0;
  #inString = false;
  #afterBackslash = false;
  #rest = '';

  constructor(object: string) {
    this.object = object;
  }

  /** All pieces read so far. */
  get text(): string {
    return this.#read.join('');
  }

  /** Text after the repetition in the piece that completed it. */
  get rest(): string {
    return this.#rest;
  }

  push(piece: string): Comparison {
    this.#read.push(piece);
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (!this.#inString && isSpace(code)) continue;
      if (!this.#match(code)) return 'other';
      if (this.#matched < this.object.length) continue;
      this.#rest = piece.slice(at + 1);
      return 'same';
    }
    return 'undecided';
  }

  /** Whether only closing brackets are missing in the repetition. */
  get lacksBrackets(): boolean {
    if (this.#inString) return false;
    for (let at = this.#matched; at < this.object.length; at++) {
      const code = this.object.charCodeAt(at);
      if (code !== CLOSE_OBJECT && code !== CLOSE_LIST && !isSpace(code)) return false;
    }
    return true;
  }

  #match(code: number): boolean {
    if (!this.#inString) this.#matched = skipSpace(this.object, this.#matched);
    if (this.object.charCodeAt(this.#matched) !== code) return false;
    this.#matched++;
    if (code === QUOTE && !this.#afterBackslash) this.#inString = !this.#inString;
    this.#afterBackslash = code === BACKSLASH && !this.#afterBackslash;
    return true;
  }
}
