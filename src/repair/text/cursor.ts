import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json-characters.ts';
import { MAX_DEPTH } from '../limits.ts';
import { isSpace } from '../white-space.ts';

/**
 * A place in a text that is still growing. Readers that need more than has come yield and are resumed; nothing that
 * was read once is looked at again, so reading takes time in proportion to the text however it is cut.
 */
export class Cursor {
  readonly #fed: string[] = [];
  #length = 0;
  /** What was fed and not yet read. */
  #window = '';
  #ended = false;
  #begun = false;
  #rejected = false;
  #blockEnd: number | undefined;
  #certain: number | undefined;
  #jsonIsWhole = true;

  /** Everything that was fed, read or not. */
  get text(): string {
    return this.#fed.join('');
  }

  /** What was not read. */
  get rest(): string {
    return this.#window;
  }

  /** How many characters were read, without what was only looked at. */
  get position(): number {
    return this.#certain ?? this.#length - this.#window.length;
  }

  /** Whether all of the text has come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What is read here is a block, whatever becomes of it: nothing in it is anything else. */
  get begun(): boolean {
    return this.#begun;
  }

  /** What is read here is none that may run. */
  get rejected(): boolean {
    return this.#rejected;
  }

  /** Where a block that was refused ends, if that could be told. */
  get blockEnd(): number | undefined {
    return this.#blockEnd;
  }

  /** Whether the JSON that was taken last has its last bracket. */
  get jsonIsWhole(): boolean {
    return this.#jsonIsWhole;
  }

  /** It has become clear that this is a block and no mention of one. */
  begin(): void {
    this.#begun = true;
    this.#blockEnd = undefined;
  }

  /** It may not run. Readers go on all the same, to find its end. */
  reject(): void {
    this.#rejected = true;
  }

  /** A block that is refused from here on ends here. */
  endBlock(): void {
    this.#blockEnd = this.position;
  }

  /** What is read from here on is only looked at, until `unread` gives it back or `keep` takes it. */
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

  /** More of the text. */
  feed(text: string): void {
    this.#fed.push(text);
    this.#length += text.length;
    this.#window += text;
  }

  /** No more will come. */
  end(): void {
    this.#ended = true;
  }

  /** The next character without taking it; undefined at the end of the whole text. */
  *peek(): Generator<void, string | undefined, void> {
    while (this.#window === '' && !this.#ended) yield;
    return this.#window[0];
  }

  /** The next characters without taking them; fewer only at the end of the whole text. */
  *ahead(count: number): Generator<void, string, void> {
    while (this.#window.length < count && !this.#ended) yield;
    return this.#window.slice(0, count);
  }

  /** Takes a literal if it stands here. Waits for no more text than it takes to tell. */
  *take(literal: string): Generator<void, boolean, void> {
    while (this.#window.length < literal.length && !this.#ended) {
      if (!literal.startsWith(this.#window)) return false;
      yield;
    }
    if (!this.#window.startsWith(literal)) return false;
    this.#window = this.#window.slice(literal.length);
    return true;
  }

  /** Takes white space. */
  *space(): Generator<void, void, void> {
    yield* this.while(isSpace);
  }

  /** Takes characters as long as they are of a kind. */
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

  /** Takes everything before a literal, and the literal. Undefined, with everything taken, if it does not come. */
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

  /** Takes everything before the next tag of a pattern, and the tag. If none comes, it takes everything; the tag is empty. */
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
   * Takes a JSON object or list, broken or not: up to its last bracket, up to a character that JSON does not have
   * outside of strings or a depth that no arguments have, or up to the end of the text. Empty if none begins here.
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

/** Some tags, none of which may be part of another, and the most characters that one of them has. */
export interface TagPattern {
  /** Global. */
  readonly tags: RegExp;
  readonly longest: number;
}

/** Finds the end of a JSON value in the pieces of a text. */
class JsonBounds {
  found = false;
  /** With its last bracket. */
  closed = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** How much of the next piece belongs to the value. */
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
