import type { Attempt } from './attempt.ts';

/** Follows a block that may not run to its end, while its text goes on to the scanner. */
export class SkippedBlock {
  readonly #attempt: Attempt;
  /** Index in the whole text where the block begins. */
  readonly #start: number;
  /** Text that may or may not be part of the block. */
  #held: string;
  #given: number;
  /** Index up to which the text is known to be part of the block. */
  end: number;
  over = false;

  /** `block` is the number of characters of the attempt that are certainly part of the block. */
  constructor(attempt: Attempt, start: number, block: number) {
    this.#attempt = attempt;
    this.#start = start;
    this.#held = attempt.text.slice(block);
    this.#given = block;
    this.end = start + block;
  }

  /** Reads more of the text. Returns the part that can be scanned by now. */
  pass(piece: string, ended: boolean): string {
    const fed = this.#attempt.feed(piece);
    const verdict = ended && fed?.type !== 'refused' ? this.#attempt.end() : fed;
    const text = this.#held + piece;
    if (verdict === undefined || verdict.type === 'found') return this.#hold(text, 0);
    this.end = this.#start + verdict.block;
    this.over = verdict.type === 'refused';
    return this.#hold(text, this.over ? text.length : verdict.block - this.#given);
  }

  /** Ends the block early and returns the held text. */
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
