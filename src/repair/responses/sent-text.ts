import { MAX_ARGUMENT_CHARS } from '../limits.ts';

/** So many pieces are put together into one: each for itself would cost more than its characters. */
const BLOCK = 512;

/** The text that went out, as far as somebody may still need it. */
export class SentText {
  #blocks: string[] = [];
  #pieces: string[] = [];
  #length = 0;
  /** So many characters at the beginning went out as they came and were let go. */
  #gone = 0;

  add(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#pieces.length < BLOCK) return;
    this.#blocks.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** Nothing was changed so far: a text that grows without end need not be kept. */
  addUnchanged(text: string): void {
    this.add(text);
    if (this.#length <= MAX_ARGUMENT_CHARS) return;
    this.#gone += this.#length;
    this.#blocks = [];
    this.#pieces = [];
    this.#length = 0;
  }

  /** The whole text; undefined if its beginning was let go. */
  get whole(): string | undefined {
    return this.#gone === 0 ? this.#kept : undefined;
  }

  /** The whole text, its beginning taken from the text that the server itself says it was. */
  wholeFrom(original: string): string {
    return original.slice(0, this.#gone) + this.#kept;
  }

  get #kept(): string {
    return this.#blocks.join('') + this.#pieces.join('');
  }
}
