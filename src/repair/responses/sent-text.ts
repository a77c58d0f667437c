import { MAX_ARGUMENT_CHARS } from '../limits.ts';

/** Number of pieces that are joined to one block: a single piece costs more than its characters. */
const BLOCK = 512;

/** Text that went out, as far as it may still be needed. */
export class SentText {
  #blocks: string[] = [];
  #pieces: string[] = [];
  #length = 0;
  /** Number of characters at the beginning that went out unchanged and were forgotten. */
  #gone = 0;

  add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#pieces.length < BLOCK) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** Adds an unchanged text. While nothing was changed, a very long text need not be kept. */
  addUnchanged(text: string): void {
    this.add(text);
    if (this.#length <= MAX_ARGUMENT_CHARS) return;
    this.#gone += this.#length;
    this.#blocks = [];
    this.#pieces = [];
    this.#length = 0;
  }

  /** The whole text; undefined if its beginning was forgotten. */
  get whole(): string | undefined {
    return this.#gone === 0 ? this.#kept : undefined;
  }

  /** Returns the whole text. A forgotten beginning is taken from the server's own whole text. */
  wholeFrom(original: string): string {
    return original.slice(0, this.#gone) + this.#kept;
  }

  get #kept(): string {
    return this.#blocks.join('') + this.#pieces.join('');
  }
}
