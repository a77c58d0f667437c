import { MAX_TEXT_CHARS } from './limits.ts';

/** Amount of text and reasoning that a response has so far. */
export class TextAmount {
  #chars = 0;
  readonly #onTooMuch: (found: string) => void;

  /** `onTooMuch` ends the response. It is called with the fault, in a few words. */
  constructor(onTooMuch: (found: string) => void) {
    this.#onTooMuch = onTooMuch;
  }

  /** Reports whether more text still fits into the response. */
  fits(text: string): boolean {
    return this.#chars + text.length <= MAX_TEXT_CHARS;
  }

  /** Counts text that fits. */
  pass(text: string): void {
    this.#chars += text.length;
  }

  /** Counts text. Returns false if it is too much; then the response is given up. */
  add(text: string): boolean {
    const fits = this.fits(text);
    if (fits) this.#chars += text.length;
    else this.#onTooMuch(`more than ${MAX_TEXT_CHARS} characters of text in one answer`);
    return fits;
  }
}
