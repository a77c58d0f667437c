import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json-characters.ts';
import { MAX_DEPTH } from '../limits.ts';
import { isSpace } from '../white-space.ts';

/**
 * Cursor in a growing text. Readers that need more text yield and are resumed. No character is read twice, so reading
 * takes time in proportion to the text, however it is cut.
 */
export class Cursor {
  readonly #fed: string[] = [];
  #length = 0;
  /** Text that was fed and not read yet. */
  #window = '';
  #ended = false;
  #begun = false;
  #rejected = false;
  #blockEnd: number | undefined;
  #certain: number | undefined;
  #jsonIsWhole = true;

  /** All text so far, read or not. */
  get text(): string {
    return this.#fed.join('');
  }

  /** Text that was not read. */
  get rest(): string {
    return this.#window;
  }

  /** Number of characters read, without a look ahead. */
  get position(): number {
    return this.#certain ?? this.#length - this.#window.length;
  }

  /** Whether all of the text has come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether the reader is in a block. Nothing inside a block is another construct, even if the block is refused. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether the block may not run. */
  get rejected(): boolean {
    return this.#rejected;
  }

  /** End of a refused block, if it is known. */
  get blockEnd(): number | undefined {
    return this.#blockEnd;
  }

  /** Whether the last JSON that was read has its last bracket. */
  get jsonIsWhole(): boolean {
    return this.#jsonIsWhole;
  }

  /** Notes that the text is a block, not a mention of one. */
  begin(): void {
    this.#begun = true;
    this.#blockEnd = undefined;
  }

  /** Refuses the block. Readers go on to find its end. */
  reject(): void {
    this.#rejected = true;
  }

  /** Ends the block here in case it is refused. */
  endBlock(): void {
    this.#blockEnd = this.position;
  }

  /** Begins a look ahead, which `unread` takes back and `keep` confirms. */
  look(): void {
    this.#certain = this.position;
  }

  keep(): void {
    this.#certain = undefined;
  }

  unread(text: string): void {
    this.#certain = undefined;
    this.#window = text + this.#window;
  }

  /** Adds more of the text. */
  feed(text: string): void {
    this.#fed.push(text);
    this.#length += text.length;
    this.#window += text;
  }

  /** Ends the text. */
  end(): void {
    this.#ended = true;
  }

  /** Returns the next character without reading it; undefined at the end of the text. */
  *peek(): Generator<void, string | undefined, void> {
    while (this.#window === '' && !this.#ended) yield;
    return this.#window[0];
  }

  /** Returns the next characters without reading them; fewer only at the end of the text. */
  *ahead(count: number): Generator<void, string, void> {
    while (this.#window.length < count && !this.#ended) yield;
    return this.#window.slice(0, count);
  }

  /** Reads a literal if it comes next. Waits for no more text than the decision needs. */
  *take(literal: string): Generator<void, boolean, void> {
    while (this.#window.length < literal.length && !this.#ended) {
      if (!literal.startsWith(this.#window)) return false;
      yield;
    }
    if (!this.#window.startsWith(literal)) return false;
    this.#window = this.#window.slice(literal.length);
    return true;
  }

  /** Reads white space. */
  *space(): Generator<void, void, void> {
    yield* this.while(isSpace);
  }

  /** Reads characters while they fit. */
  *while(fits: (code: number) => boolean): Generator<void, string, void> {
    let taken = '';
    for (;;) {
      let end = 0;
      while (end < this.#window.length && fits(this.#window.charCodeAt(end))) end++;
      taken += this.#window.slice(0, end);
      this.#window = this.#window.slice(end);
      if (this.#window !== '' || this.#ended) return taken;
      yield;
    }
  }

  /** Reads up to a literal, and the literal. Undefined, with all of the text read, if the literal does not come. */
  *until(literal: string): Generator<void, string | undefined, void> {
    const taken: string[] = [];
    for (;;) {
      const found = this.#window.indexOf(literal);
      if (found >= 0) {
        taken.push(this.#window.slice(0, found));
        this.#window = this.#window.slice(found + literal.length);
        return taken.join('');
      }
      const sure = this.#ended ? this.#window.length : Math.max(0, this.#window.length - literal.length + 1);
      taken.push(this.#window.slice(0, sure));
      this.#window = this.#window.slice(sure);
      if (this.#ended) return undefined;
      yield;
    }
  }

  /**
   * Reads up to the next tag of a pattern, and the tag. Without a tag it reads all of the text, and the tag is empty.
   */
  *untilTag({ tags, longest }: TagPattern): Generator<void, { before: string; tag: string }, void> {
    const taken: string[] = [];
    for (;;) {
      tags.lastIndex = 0;
      const found = tags.exec(this.#window);
      if (found !== null) {
        taken.push(this.#window.slice(0, found.index));
        this.#window = this.#window.slice(tags.lastIndex);
        return { before: taken.join(''), tag: found[0] };
      }
      const sure = this.#ended ? this.#window.length : Math.max(0, this.#window.length - longest + 1);
      taken.push(this.#window.slice(0, sure));
      this.#window = this.#window.slice(sure);
      if (this.#ended) return { before: taken.join(''), tag: '' };
      yield;
    }
  }

  /**
   * Reads a JSON object or list, broken or not. It ends at its last bracket, at a character that JSON does not allow
   * outside strings, beyond the greatest depth, or at the end of the text. Empty if no JSON begins here.
   */
  *json(): Generator<void, string, void> {
    const taken: string[] = [];
    const bounds = new JsonBounds();
    for (;;) {
      const text = this.#window;
      const end = bounds.find(text);
      taken.push(text.slice(0, end));
      this.#window = text.slice(end);
      if (bounds.found || this.#ended) {
        this.#jsonIsWhole = bounds.closed;
        return taken.join('');
      }
      yield;
    }
  }
}

/** Pattern of tags. No tag may be part of another. */
export interface TagPattern {
  /** Global pattern. */
  readonly tags: RegExp;
  readonly longest: number;
}

/** Finds the end of a JSON value in the pieces of a text. */
class JsonBounds {
  found = false;
  /** Whether the value has its last bracket. */
  closed = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** Returns how much of the next piece belongs to the value. */
  find(text: string): number {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (this.#inString) {
        this.#string(code);
        continue;
      }
      if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth++;
      else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#depth--;
      else if (code === QUOTE) this.#inString = true;
      if (this.#depth > 0 && this.#depth <= MAX_DEPTH && isJsonCharacter(code)) continue;
      this.found = true;
      this.closed = this.#depth === 0 && (code === CLOSE_OBJECT || code === CLOSE_LIST);
      return this.closed ? i + 1 : i;
    }
    return text.length;
  }

  #string(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }
}

const JSON_CHARACTERS = /[\s{}[\]:,"\w.+-]/;
const JSON_ASCII = Array.from({ length: 128 }, (_, code) => JSON_CHARACTERS.test(String.fromCharCode(code)));

function isJsonCharacter(code: number): boolean {
  return JSON_ASCII[code] ?? JSON_CHARACTERS.test(String.fromCharCode(code));
}
