import { CLOSE_LIST, CLOSE_OBJECT, COMMA } from '../json-characters.ts';
import type { RepairReport } from '../report.ts';
import { skipSpace } from '../white-space.ts';
import { isLiteral, isNumber, mayNeedRepair, type RepairedWord, repairWord, wordEnd } from './bare-word.ts';
import type { PieceOutput } from './piece-output.ts';

/** State of a word. `undecided`: the repair depends on the next piece. */
export type WordState = 'reading' | 'undecided' | 'read';

/** Repairs bare words, one at a time. Words that are right in any case pass while they arrive. */
export class WordRepair {
  readonly #output: PieceOutput;
  readonly #report: RepairReport;
  #types = 0;
  #state: WordState = 'read';
  /** Part of an unfinished word that has gone out. */
  #given = '';
  #faulty = false;

  constructor(output: PieceOutput, report: RepairReport) {
    this.#output = output;
    this.#report = report;
  }

  get state(): WordState {
    return this.#state;
  }

  /** Whether a word went out that is not JSON, or that may be incomplete. */
  get faulty(): boolean {
    return this.#faulty;
  }

  /** Begins a word where these types are allowed. */
  begin(types: number): void {
    this.#types = types;
    this.#given = '';
    this.#state = 'undecided';
  }

  /** Reads on. Returns the end of the word, the index of an undecided word, or the end of the text. */
  read(text: string, at: number, ended: boolean): number {
    const end = wordEnd(text, at);
    const asItComes = this.#given !== '' || end - at > MAX_WORD || !mayNeedRepair(text.charCodeAt(at), this.#types);
    if (asItComes) {
      this.#given += text.slice(at, end);
      this.#state = 'reading';
      if (end < text.length || ended) this.end(end === text.length);
      return end;
    }
    if (end < text.length || ended) return this.#decide(text, at, end, ended);
    this.#state = 'undecided';
    return at;
  }

  /** Ends the word. `last`: the text ended with it. */
  end(last: boolean): void {
    if (this.#state === 'reading' && !isWhole(this.#given, last)) this.#faulty = true;
    this.#state = 'read';
  }

  #decide(text: string, at: number, end: number, ended: boolean): number {
    const word = text.slice(at, end);
    const repaired = repairWord(word, this.#types);
    const next = skipSpace(text, end);
    const isNear = next - at <= MAX_WORD;
    this.#state = repaired && isNear && next === text.length && !ended ? 'undecided' : 'read';
    if (this.#state === 'undecided') return at;
    if (repaired && isNear && mayReplace(repaired, text.charCodeAt(next))) {
      this.#report(repaired.id, word, repaired.text);
      this.#output.replace(at, end, repaired.text);
    } else this.#faulty ||= !isWhole(word, end === text.length) || (ended && repaired !== undefined);
    return end;
  }
}

/** The most characters of a word that wait for a decision, white space after the word included. */
const MAX_WORD = 256;

/** Reports whether a word is a whole value. At the very end of a text a number may lack digits. */
function isWhole(word: string, last: boolean): boolean {
  return isLiteral(word) && !(last && isNumber(word));
}

/**
 * Reports whether a word may be replaced: only if the value ends after it. At the end of a text a bare text may be
 * incomplete.
 */
function mayReplace({ id }: RepairedWord, next: number): boolean {
  return Number.isNaN(next) ? id === 'C9' : next === COMMA || next === CLOSE_OBJECT || next === CLOSE_LIST;
}
