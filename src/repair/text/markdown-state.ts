import { isSpace } from '../white-space.ts';

/**
 * Where a text stands as Markdown: in a block of code, fenced or indented, in code inside of a line, and what came before on its
 * line. Walks over the text once, however it is cut.
 */
export class MarkdownState {
  /** The character of the fence that is open, 0 if none is. */
  #fence = 0;
  #fenceLength = 0;
  /** In the line that opened the fence. */
  #inInfo = false;
  /** A line that closes the fence if nothing more is in it. */
  #closing = false;
  /** The number of backticks that opened code inside of a line, 0 if none is open. */
  #ticks = 0;
  /** A run of backticks or tildes that may go on. */
  #run = 0;
  #runLength = 0;
  #runLeads = false;
  /** Nothing in this line so far but white space and the marks of lists and quotes. */
  #leads = true;
  /** The first and the last visible character of the line, 0 for none. */
  #first = 0;
  #last = 0;
  /** The columns that the line is indented by, and whether that makes code of it. */
  #indent = 0;
  #indented = false;
  /** A line that is indented enough is code: the last one was empty, or was such code. */
  #mayIndent = false;
  #isEmpty = true;
  /** The first visible characters of the line and those after them. */
  #head = '';
  /** The two last characters. */
  #previous = NEWLINE;
  #beforePrevious = NEWLINE;

  /** In a fenced block of code. */
  get fenced(): boolean {
    this.#endRun();
    return this.#fence !== 0 && !this.#closing;
  }

  /** In code inside of a line. */
  get inline(): boolean {
    this.#endRun();
    return this.#ticks > 0;
  }

  /** In a block of code that is indented. */
  get indented(): boolean {
    return this.#first === 0 ? this.#mayIndent && this.#indent >= CODE_INDENT : this.#indented;
  }

  /** In code of any kind. */
  get inCode(): boolean {
    return this.inline || this.fenced || this.indented;
  }

  /** Nothing visible came on this line. */
  get lineStarts(): boolean {
    return this.#first === 0;
  }

  /**
   * Right after an opening quote or bracket, or in a line that quotes as a whole, or in a row of a table, or in an item of
   * a list that has no sentence before it.
   */
  get quoted(): boolean {
    if (this.#first === GREATER || this.#first === BAR || this.#afterOpeningQuote()) return true;
    return LIST_ITEM.test(this.#head) && (this.#leads || this.midSentence);
  }

  /** Right after any quotation mark. */
  get afterQuote(): boolean {
    return isQuote(this.#previous);
  }

  /** Right after white space. */
  get afterSpace(): boolean {
    return isSpace(this.#previous);
  }

  /** The line has begun a sentence that is not over. */
  get midSentence(): boolean {
    return this.#first !== 0 && !SENTENCE_ENDS.includes(String.fromCharCode(this.#last));
  }

  /** The text goes on. */
  walk(text: string, from: number, to: number): void {
    let at = from;
    while (at < to) {
      const end = nextTurn(text, at, to);
      if (end > at) this.#plain(text, at, end);
      if (end === to) return;
      const code = text.charCodeAt(end);
      if (code === NEWLINE) this.#newline();
      else this.#tick(code);
      at = end + 1;
    }
  }

  /** A block was taken out of the text here. */
  passBlock(): void {
    this.#endRun();
    if (this.#closing) this.#fence = 0;
    this.#closing = false;
    this.#last = GREATER;
    this.#previous = GREATER;
    this.#beforePrevious = GREATER;
    this.#leads = false;
  }

  /** A stretch without line breaks, backticks and tildes. */
  #plain(text: string, from: number, to: number): void {
    this.#endRun();
    this.#beforePrevious = to - from > 1 ? text.charCodeAt(to - 2) : this.#previous;
    this.#previous = text.charCodeAt(to - 1);
    let last = to - 1;
    while (last >= from && isSpace(text.charCodeAt(last))) last--;
    let first = from;
    if (this.#first === 0) {
      for (; first < to && isSpace(text.charCodeAt(first)); first++) this.#indent += columnsOf(text.charCodeAt(first));
      if (first < to) this.#beginLine(text.charCodeAt(first));
    }
    if (this.#head.length < HEAD) this.#head += text.slice(first, Math.min(to, first + HEAD));
    if (last < from) return;
    this.#closing = false;
    this.#last = text.charCodeAt(last);
    for (; this.#leads && first <= last; first++) this.#leads = isLead(text.charCodeAt(first));
  }

  #beginLine(code: number): void {
    this.#indented = this.indented;
    this.#isEmpty = false;
    this.#first = code;
    this.#head = isListMark(code) ? '' : NO_ITEM;
  }

  #newline(): void {
    this.#endRun();
    this.#mayIndent = this.#first === 0 ? !this.#isEmpty : this.#indented;
    this.#indent = 0;
    this.#head = '';
    if (this.#closing) this.#fence = 0;
    this.#closing = false;
    this.#inInfo = false;
    // A single backtick is often no code at all; a longer run is over with its paragraph.
    if (this.#ticks === 1 || this.#first === 0) this.#ticks = 0;
    this.#first = 0;
    this.#last = 0;
    this.#leads = true;
    this.#beforePrevious = this.#previous;
    this.#previous = NEWLINE;
  }

  #tick(code: number): void {
    if (this.#run === code) {
      this.#runLength++;
    } else {
      this.#endRun();
      this.#run = code;
      this.#runLength = 1;
      this.#runLeads = this.#leads;
      this.#closing = false;
    }
    if (this.#first === 0) this.#beginLine(code);
    if (this.#head.length < HEAD) this.#head += String.fromCharCode(code);
    this.#last = code;
    this.#beforePrevious = this.#previous;
    this.#previous = code;
    this.#leads = false;
  }

  /** What a run of backticks or tildes meant, now that it is over. */
  #endRun(): void {
    const code = this.#run;
    if (code === 0) return;
    const length = this.#runLength;
    this.#run = 0;
    if (this.#fence !== 0) {
      if (this.#inInfo && code === BACKTICK && this.#fence === BACKTICK) this.#noFenceAfterAll(length);
      else this.#closing = this.#runLeads && code === this.#fence && length >= this.#fenceLength;
    } else if (this.#runLeads && length >= 3) {
      this.#fence = code;
      this.#fenceLength = length;
      this.#inInfo = true;
      this.#ticks = 0;
    } else if (code === BACKTICK) {
      this.#inlineTicks(length);
    }
  }

  /** The line that opens a fence of backticks has no others in it: this was code inside of a line. */
  #noFenceAfterAll(length: number): void {
    this.#fence = 0;
    this.#inInfo = false;
    this.#ticks = this.#fenceLength;
    this.#inlineTicks(length);
  }

  #inlineTicks(length: number): void {
    if (this.#ticks === 0) this.#ticks = length;
    else if (this.#ticks === length) this.#ticks = 0;
  }

  /** Whether the quotation mark right before opens a quotation; after a word or a sentence it closes one. */
  #afterOpeningQuote(): boolean {
    const quote = String.fromCharCode(this.#previous);
    if (OPENING_QUOTES.includes(quote)) return true;
    return STRAIGHT_QUOTES.includes(quote) && !CLOSED_BY_QUOTE.test(String.fromCharCode(this.#beforePrevious));
  }
}

const NEWLINE = 0x0a;
const BACKTICK = 0x60;
const TILDE = 0x7e;
const GREATER = 0x3e;
const BAR = 0x7c;

const TAB = 0x09;
const CODE_INDENT = 4;

/** How much of a line tells whether it is an item of a list. */
const HEAD = 5;
const NO_ITEM = 'x'.repeat(HEAD);
const LIST_ITEM = /^(?:[-*+•]|\d{1,3}[.)])[ \t]/;

const OPENING_QUOTES = '“‘«„‹「『(';
const STRAIGHT_QUOTES = '"\'';
const CLOSING_QUOTES = '”’»›」』';
const CLOSED_BY_QUOTE = /[\p{L}\p{N}.!?…)]/u;
const SENTENCE_ENDS = '.!?…。！？>]}';

/** From which length on a pattern is faster than a loop. */
const SHORT = 48;
const TURNS = /[\n`~]/g;

function nextTurn(text: string, from: number, to: number): number {
  // A pattern does not stop at `to`, so it is used only where the text ends there.
  const near = to < text.length ? to : Math.min(to, from + SHORT);
  for (let at = from; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || code === BACKTICK || code === TILDE) return at;
  }
  if (near === to) return to;
  TURNS.lastIndex = near;
  return TURNS.test(text) ? TURNS.lastIndex - 1 : to;
}

/** With what an item of a list begins, its number included. */
function isListMark(code: number): boolean {
  return (code >= 0x2a && code <= 0x39) || code === 0x2022;
}

function columnsOf(space: number): number {
  return space === TAB ? CODE_INDENT : space === 0x20 ? 1 : 0;
}

/** White space, quote marks, and the bullets and numbers of lists. */
function isLead(code: number): boolean {
  return isSpace(code) || LEADS.includes(String.fromCharCode(code));
}

const LEADS = '>*+-.)0123456789';

function isQuote(code: number): boolean {
  const char = String.fromCharCode(code);
  return STRAIGHT_QUOTES.includes(char) || OPENING_QUOTES.includes(char) || CLOSING_QUOTES.includes(char);
}
