import type { Attempt } from './attempt.ts';

/** Follows a block that may not run up to its end, while its text is given on. */
export class SkippedBlock {
  readonly #attempt: Attempt;
  /** Where the block begins in the whole text. */
  readonly #start: number;
  /** What may be part of the block or not. */
  #held: string;
  #given: number;
  /** Up to where the text is known to be the block's, or was when it ended. */
  end: number;
  over = false;

  /** `block`: how much of the text that the attempt was fed with is the block's for certain. */
  constructor(attempt: Attempt, start: number, block: number) {
    this.#attempt = attempt;
    this.#start = start;
    this.#held = attempt.text.slice(block);
    this.#given = block;
    this.end = start + block;
  }

  /** More of the text. Gives what of it can be scanned by now. */
  pass(piece: string, ended: boolean): string {
    const fed = this.#attempt.feed(piece);
    const verdict = ended && fed?.type !== 'refused' ? this.#attempt.end() : fed;
    const text = this.#held + piece;
    if (verdict === undefined || verdict.type === 'found') return this.#hold(text, 0);
    this.end = this.#start + verdict.block;
    this.over = verdict.type === 'refused';
    return this.#hold(text, this.over ? text.length : verdict.block - this.#given);
  }

  /** Gives it up. Gives what was held back. */
  drop(): string {
    this.over = true;
    return this.#held;
  }

  #hold(text: string, sure: number): string {
    this.#held = sure === 0 ? text : text.slice(sure);
    this.#given += sure;
    return sure === 0 ? '' : text.slice(0, sure);
  }
}
