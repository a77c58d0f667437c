import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, QUOTE } from '../json-characters.ts';
import { isSpace, skipSpace } from '../white-space.ts';

/** How a text compares with an object: not over yet and the same so far, the same, or another. */
export type Comparison = 'undecided' | 'same' | 'other';

/** Compares a text that comes in pieces with an object that came before. Blanks between the marks do not count. */
export class Repetition {
  readonly object: string;
  readonly #read: string[] = [];
  /** How far the object was found again. */
  #matched = 0;
  #inString = false;
  #afterBackslash = false;
  #rest = '';

  constructor(object: string) {
    this.object = object;
  }

  /** All that was read. */
  get text(): string {
    return this.#read.join('');
  }

  /** What followed in the piece that completed the repetition. */
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

  /** Whether only closing brackets were not repeated. */
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
