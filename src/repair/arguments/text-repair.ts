import { BACKSLASH, escaped, QUOTE } from '../json-characters.ts';
import type { RepairReport } from '../report.ts';
import { readEntity } from './html-entity.ts';
import type { PieceOutput } from './piece-output.ts';

/**
 * Repairs the content of a string: escapes that JSON does not know, control characters, and HTML entities where the
 * server writes them.
 */
export class TextRepair {
  readonly #output: PieceOutput;
  readonly #report: RepairReport;
  #entities = false;
  /** Whether the piece before ended in a backslash that has gone out. */
  #afterBackslash = false;
  #undecided = false;

  constructor(output: PieceOutput, report: RepairReport) {
    this.#output = output;
    this.#report = report;
  }

  /** Whether the last read stopped at a character whose meaning depends on the next piece. */
  get undecided(): boolean {
    return this.#undecided;
  }

  /** Begins a string. */
  begin(entities: boolean): void {
    this.#entities = entities;
    this.#afterBackslash = false;
  }

  /** Reads on. Returns the index of the closing quote, of an undecided character, or the end of the text. */
  read(text: string, from: number): number {
    this.#undecided = false;
    let at = this.#afterBackslash ? this.#readEscape(text, from) : from;
    while (at < text.length && !this.#undecided) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) return at;
      if (code === BACKSLASH) at = this.#readEscape(text, at + 1);
      else if (code < 0x20) at = this.#escapeControl(text, at);
      else if (code === AMPERSAND && this.#entities) at = this.#readEntity(text, at, at + 1);
      else at++;
    }
    return at;
  }

  #readEscape(text: string, at: number): number {
    this.#afterBackslash = false;
    const length = escapeLength(text, at);
    if (length === UNDECIDED) return this.#waitInEscape(at);
    if (length === ILLEGAL) {
      this.#report('C9', `\\${text.charAt(at)}`, `\\\\${text.charAt(at)}`);
      this.#output.replace(at, at, '\\');
      return at;
    }
    const end = at + length;
    return this.#entities && text.slice(at, end) === ESCAPED_AMPERSAND ? this.#readEntity(text, at - 1, end) : end;
  }

  /**
   * Waits for the rest of an escape. The backslash goes out now, since a second one can still follow it, unless it may
   * begin an entity.
   */
  #waitInEscape(at: number): number {
    this.#undecided = true;
    if (this.#entities) return at - 1;
    this.#afterBackslash = true;
    return at;
  }

  #escapeControl(text: string, at: number): number {
    const control = text.charAt(at);
    const legal = escaped(control);
    this.#report('C9', control, legal);
    this.#output.replace(at, at + 1, legal);
    return at + 1;
  }

  #readEntity(text: string, from: number, nameAt: number): number {
    const entity = readEntity(text, nameAt);
    if (entity === undefined) return nameAt;
    if (entity === 'undecided') {
      this.#undecided = true;
      return from;
    }
    this.#report('C8', text.slice(from, entity.end), entity.text);
    this.#output.replace(from, entity.end, escaped(entity.text));
    return entity.end;
  }
}

const AMPERSAND = 0x26;
const ESCAPED_AMPERSAND = 'u0026';
const SIMPLE_ESCAPES = '"\\/bfnrt';
const LETTER_U = 0x75;
const ILLEGAL = 0;
const UNDECIDED = -1;

/** Returns the length of an escape after its backslash. */
function escapeLength(text: string, at: number): number {
  if (at === text.length) return UNDECIDED;
  if (text.charCodeAt(at) !== LETTER_U) return SIMPLE_ESCAPES.includes(text.charAt(at)) ? 1 : ILLEGAL;
  for (let i = at + 1; i < at + 5; i++) {
    if (i === text.length) return UNDECIDED;
    if (!isHexDigit(text.charCodeAt(i))) return ILLEGAL;
  }
  return 5;
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}
