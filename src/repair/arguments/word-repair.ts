import { CLOSE_LIST, CLOSE_OBJECT, COMMA } from '../json-characters.ts';
import type { RepairReport } from '../report.ts';
import { skipSpace } from '../white-space.ts';
import { isLiteral, isNumber, mayNeedRepair, type RepairedWord, repairWord, wordEnd } from './bare-word.ts';
import type { PieceOutput } from './piece-output.ts';

/** Where the reading of a word stands. `undecided`: it cannot be told yet what the word must become. */
export type WordState = 'reading' | 'undecided' | 'read';

/** Repairs a bare word, one at a time. Words that are right in any case are given while they come. */
export class WordRepair {
  readonly #output: PieceOutput;
  readonly #report: RepairReport;
  #types = 0;
  #state: WordState = 'read';
  /** What has been given of a word that is not over. */
  #given = '';
  #faulty = false;

  constructor(output: PieceOutput, report: RepairReport) {
    this.#output = output;
    this.#report = report;
  }

  get state(): WordState {
    return this.#state;
  }

  /** A word was left that is no JSON, or that may not be all of what was to be said. */
  get faulty(): boolean {
    return this.#faulty;
  }

  /** A word begins where these types are allowed. */
  begin(types: number): void {
    this.#types = types;
    this.#given = '';
    this.#state = 'undecided';
  }

  /** Reads on; gives the end of the word, the place of something undecided, or the end of the text. */
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

  /** The word is over. `last`: nothing came behind it. */
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

/** Words are kept waiting only up to this length, together with the blanks behind them. */
const MAX_WORD = 256;

/** At the very end a number may lack digits. */
function isWhole(word: string, last: boolean): boolean {
  return isLiteral(word) && !(last && isNumber(word));
}

/** Only if the value is over behind the word. Where the text ends there, a bare text may be half of what it should be. */
function mayReplace({ id }: RepairedWord, next: number): boolean {
  return Number.isNaN(next) ? id === 'C9' : next === COMMA || next === CLOSE_OBJECT || next === CLOSE_LIST;
}
