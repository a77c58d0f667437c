import { isSpace } from '../white-space.ts';

/**
 * Markdown state at one place of a text: in a fenced or indented block of code, in inline code, and the characters
 * before it on its line. Walks over the text once, however it is cut.
 */
export class MarkdownState {
  /** Character of the open fence; 0 if no fence is open. */
  #fence = 0;
  #fenceLength = 0;
  /** Whether the line opened the fence. */
  #inInfo = false;
  /** Whether the line closes the fence if nothing else follows on it. */
  #closing = false;
  /** Number of backticks that opened inline code; 0 if no inline code is open. */
  #ticks = 0;
  /** Current run of backticks or tildes, which may go on. */
  #run = 0;
  #runLength = 0;
  #runLeads = false;
  /** Whether the line so far has only white space and the marks of lists and quotes. */
  #leads = true;
  /** First and last visible character of the line; 0 for none. */
  #first = 0;
  #last = 0;
  /** Columns of indentation, and whether they make the line code. */
  #indent = 0;
  #indented = false;
  /** Whether an indented line would be code: the last line was empty, or was such code. */
  #mayIndent = false;
  #isEmpty = true;
  /** First visible characters of the line and the characters after them. */
  #head = '';
  /** The last two characters. */
  #previous = NEWLINE;
  #beforePrevious = NEWLINE;

  /** Whether the place is in a fenced block of code. */
  get fenced(): boolean {
    this.#endRun();
    return this.#fence !== 0 && !this.#closing;
  }

  /** Whether the place is in inline code. */
  get inline(): boolean {
    this.#endRun();
    return this.#ticks > 0;
  }

  /** Whether the place is in an indented block of code. */
  get indented(): boolean {
    return this.#first === 0 ? this.#mayIndent && this.#indent >= CODE_INDENT : this.#indented;
  }

  /** Whether the place is in code of any kind. */
  get inCode(): boolean {
    return this.inline || this.fenced || this.indented;
  }

  /** Whether nothing visible came on this line. */
  get lineStarts(): boolean {
    return this.#first === 0;
  }

  /**
   * Whether the place is quoted: right after an opening quote or bracket, in a quoted line, in a row of a table, or in
   * a list item without a sentence before it.
   */
  get quoted(): boolean {
    if (this.#first === GREATER || this.#first === BAR || this.#afterOpeningQuote()) return true;
    return LIST_ITEM.test(this.#head) && (this.#leads || this.midSentence);
  }

  /** Whether the place is right after any quotation mark. */
  get afterQuote(): boolean {
    return isQuote(this.#previous);
  }

  /** Whether the place is right after white space. */
  get afterSpace(): boolean {
    return isSpace(this.#previous);
  }

  /** Whether the line has begun a sentence that is not over. */
  get midSentence(): boolean {
    return this.#first !== 0 && !SENTENCE_ENDS.includes(String.fromCharCode(this.#last));
  }

  /** Walks over more of the text. */
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

  /** Notes that a block was removed from the text here. */
  passBlock(): void {
    this.#endRun();
    if (this.#closing) this.#fence = 0;
    this.#closing = false;
    this.#last = GREATER;
    this.#previous = GREATER;
    this.#beforePrevious = GREATER;
    this.#leads = false;
  }

  /** Walks over text without line breaks, backticks and tildes. */
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
    // A single backtick is often not code at all. A longer run ends with its paragraph.
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

  /** Applies a run of backticks or tildes that is over. */
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

  /** Turns a fence into inline code: the line that opens a fence of backticks has no other backticks. */
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

  /**
   * Reports whether the quotation mark before the place opens a quotation. After a word or a sentence it closes one.
   */
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

/** Number of characters that show whether a line is a list item. */
const HEAD = 5;
const NO_ITEM = 'x'.repeat(HEAD);
const LIST_ITEM = /^(?:[-*+•]|\d{1,3}[.)])[ \t]/;

const OPENING_QUOTES = '“‘«„‹「『(';
const STRAIGHT_QUOTES = '"\'';
const CLOSING_QUOTES = '”’»›」』';
const CLOSED_BY_QUOTE = /[\p{L}\p{N}.!?…)]/u;
const SENTENCE_ENDS = '.!?…。！？>]}';

/** The length from which on a pattern is faster than a loop. */
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

/** Reports whether a character may begin a list item, numbers included. */
function isListMark(code: number): boolean {
  return (code >= 0x2a && code <= 0x39) || code === 0x2022;
}

function columnsOf(space: number): number {
  return space === TAB ? CODE_INDENT : space === 0x20 ? 1 : 0;
}

/** Reports whether a character is white space, a quote mark, or part of the bullet or number of a list item. */
function isLead(code: number): boolean {
  return isSpace(code) || LEADS.includes(String.fromCharCode(code));
}

const LEADS = '>*+-.)0123456789';

function isQuote(code: number): boolean {
  const char = String.fromCharCode(code);
  return STRAIGHT_QUOTES.includes(char) || OPENING_QUOTES.includes(char) || CLOSING_QUOTES.includes(char);
}
