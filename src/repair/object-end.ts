/** Finds the end of a JSON object that arrives in pieces. */
export class ObjectEnd {
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #isClosed = false;

  /** Whether the object is closed, so that nothing is missing at its end. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the end of the last piece is inside a text. */
  get isInText(): boolean {
    return this.#isText;
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at++) {
      const char = text[at];
      if (this.#isText) this.#readText(char);
      else if (char === '"') this.#isText = true;
      else if (char === '{' || char === '[') {
        this.#depth++;
        this.#isClosed = false;
      } else if (char === '}' || char === ']') this.#isClosed = --this.#depth === 0;
    }
  }

  #readText(char: string | undefined): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (char === '\\') this.#isEscaped = true;
    else if (char === '"') this.#isText = false;
  }
}
