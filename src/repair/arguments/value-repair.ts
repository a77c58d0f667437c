import { CLOSE_LIST, CLOSE_OBJECT, COLON, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from '../json-characters.ts';
import { MAX_DEPTH } from '../limits.ts';
import type { RepairReport } from '../report.ts';
import { skipSpace } from '../white-space.ts';
import { isJson } from './is-json.ts';
import { PieceOutput } from './piece-output.ts';
import { recastText, rulesOutText } from './recast-text.ts';
import { type SchemaPlace, UNKNOWN } from './schema-place.ts';
import { TextRepair } from './text-repair.ts';
import { WordRepair } from './word-repair.ts';

export interface ValueRepairOptions {
  readonly place: SchemaPlace;
  /** Number of lists and objects around the value. */
  readonly depth: number;
  readonly htmlEntities: boolean;
  readonly report: RepairReport;
}

/**
 * Repairs one JSON value that arrives in pieces. Outside strings it tracks its place in the document. At the first
 * character that is not allowed there, it gives up and passes the rest unchanged.
 */
export class ValueRepair {
  readonly #options: ValueRepairOptions;
  readonly #output = new PieceOutput();
  readonly #text: TextRepair;
  readonly #word: WordRepair;
  readonly #open: Container[] = [];
  #expects: Expectation = 'value';
  /** The schema's knowledge of the value that is expected or being read. */
  #place: SchemaPlace;
  /** Whether nothing has come since an opening bracket. */
  #fresh = false;
  #ended = false;
  #undecided = false;
  #inKey = false;
  #key = '';
  #keyFrom = 0;
  /** Text that was read and is still undecided. */
  #tail = '';
  #rest = '';

  constructor(options: ValueRepairOptions) {
    this.#options = options;
    this.#place = options.place;
    this.#text = new TextRepair(this.#output, options.report);
    this.#word = new WordRepair(this.#output, options.report);
  }

  /** Whether the value is closed. */
  get done(): boolean {
    return this.#expects === 'nothing';
  }

  /** Text after the value in the piece that closed it. */
  get rest(): string {
    return this.#rest;
  }

  /** Reads more of the text and returns the part that is certain. */
  push(piece: string): string {
    const text = this.#tail === '' ? piece : this.#tail + piece;
    this.#output.open(text);
    this.#undecided = false;
    this.#keyFrom = 0;
    let at = 0;
    while (at < text.length && !this.#undecided && !this.done) at = this.#read(text, at);
    if (this.#inKey) this.#key += text.slice(this.#keyFrom, at);
    this.#tail = this.done ? '' : text.slice(at);
    this.#rest = this.done ? text.slice(at) : '';
    return this.#output.close(at);
  }

  /** Ends the text. Adds the closing brackets if nothing else is missing and the text was not `cut` off. */
  end(cut: boolean): { readonly text: string; readonly whole: boolean } {
    this.#ended = true;
    const text = this.push('') + this.#output.release() + this.#tail;
    if (this.#expects === 'word') {
      this.#word.end(true);
      this.#endValue();
    }
    if (this.#expects === 'lost') return { text, whole: !cut };
    const brackets = cut ? undefined : this.#missingBrackets();
    if (brackets === undefined) return { text, whole: false };
    this.#options.report('C7', '', brackets);
    return { text: text + brackets, whole: true };
  }

  #read(text: string, at: number): number {
    if (this.#expects === 'quote') return this.#readText(text, at);
    if (this.#expects === 'word') return this.#readWord(text, at);
    if (this.#expects === 'lost' || this.#expects === 'depth') return text.length;
    const next = skipSpace(text, at);
    return next === text.length ? next : this.#readMark(text, next, text.charCodeAt(next));
  }

  #readMark(text: string, at: number, code: number): number {
    switch (this.#expects) {
      case 'key':
        if (code === QUOTE) return this.#beginText(at, true);
        return this.#fresh ? this.#close(text, at, code) : this.#lose(text);
      case 'colon':
        if (code !== COLON) return this.#lose(text);
        this.#expects = 'value';
        return at + 1;
      case 'after':
        return code === COMMA ? this.#readComma(text, at) : this.#close(text, at, code);
      case 'comma':
        this.#settleComma(at, code);
        return at;
      default:
        return this.#readValue(text, at, code);
    }
  }

  #readValue(text: string, at: number, code: number): number {
    if (code === QUOTE) return this.#beginText(at, false);
    if (code === OPEN_OBJECT || code === OPEN_LIST) return this.#enter(text, at, code);
    if (code === CLOSE_LIST && this.#fresh) return this.#close(text, at, code);
    if (code === COMMA || code === COLON || code === CLOSE_OBJECT || code === CLOSE_LIST) return this.#lose(text);
    return this.#beginWord(at);
  }

  #enter(text: string, at: number, code: number): number {
    if (this.#options.depth + this.#open.length >= MAX_DEPTH) {
      this.#expects = 'depth';
      return text.length;
    }
    const place = this.#place;
    this.#fresh = true;
    if (code === OPEN_OBJECT) {
      this.#open.push({ closer: CLOSE_OBJECT, place, missing: place.required });
      this.#expects = 'key';
    } else {
      this.#open.push({ closer: CLOSE_LIST, place, missing: NOTHING });
      this.#place = place.item;
      this.#expects = 'value';
    }
    return at + 1;
  }

  #close(text: string, at: number, code: number): number {
    if (this.#open.at(-1)?.closer !== code) return this.#lose(text);
    this.#open.pop();
    this.#endValue();
    return at + 1;
  }

  #endValue(): void {
    this.#fresh = false;
    this.#expects = this.#open.length === 0 ? 'nothing' : 'after';
  }

  #lose(text: string): number {
    this.#expects = 'lost';
    return text.length;
  }

  /** Reads a comma. A comma before a closing bracket is one too many, so it waits for the next character. */
  #readComma(text: string, at: number): number {
    const next = skipSpace(text, at + 1);
    if (next === text.length) {
      this.#output.hold(at);
      this.#expects = 'comma';
    } else if (this.#passComma(text.charCodeAt(next))) this.#output.replace(at, at + 1, '');
    return next;
  }

  #settleComma(at: number, code: number): void {
    const extra = this.#passComma(code);
    this.#output.settle(at, (held) => (extra ? held.slice(1) : held));
  }

  /** Reads on after a comma, and reports whether the comma was one too many. */
  #passComma(code: number): boolean {
    const { closer, place } = this.#open.at(-1) ?? NOWHERE;
    if (closer === code) {
      this.#expects = 'after';
      this.#options.report('C9', `,${String.fromCharCode(code)}`, String.fromCharCode(code));
      return true;
    }
    this.#place = place.item;
    this.#expects = closer === CLOSE_OBJECT ? 'key' : 'value';
    return false;
  }

  #beginText(at: number, inKey: boolean): number {
    if (!inKey && rulesOutText(this.#place)) this.#output.hold(at);
    this.#text.begin(this.#options.htmlEntities && !inKey);
    this.#fresh = false;
    this.#inKey = inKey;
    this.#key = '';
    this.#keyFrom = at + 1;
    this.#expects = 'quote';
    return at + 1;
  }

  #readText(text: string, from: number): number {
    const at = this.#text.read(text, from);
    this.#undecided = this.#text.undecided;
    if (this.#undecided || at === text.length) return at;
    if (this.#inKey) this.#endKey(this.#key + text.slice(this.#keyFrom, at));
    else this.#endText(at + 1);
    return at + 1;
  }

  #endKey(literal: string): void {
    this.#inKey = false;
    this.#expects = 'colon';
    const container = this.#open.at(-1) ?? NOWHERE;
    if (container.place === UNKNOWN) {
      this.#place = UNKNOWN;
      return;
    }
    const name = literal.includes('\\') ? unescaped(literal) : literal;
    this.#place = container.place.property(name);
    if (container.missing.includes(name)) container.missing = container.missing.filter((other) => other !== name);
  }

  #endText(at: number): void {
    if (this.#output.holds) this.#output.settle(at, (literal) => this.#recast(literal));
    this.#endValue();
  }

  /** Recasts a string literal. Its entities were decoded with the string. */
  #recast(literal: string): string {
    const { report } = this.#options;
    const place = this.#place;
    const depth = this.#options.depth + this.#open.length;
    const repair = (text: string, nested: RepairReport) =>
      repairWhole(text, { place, depth, htmlEntities: false, report: nested });
    return recastText(literal, { place, report, repair });
  }

  #beginWord(at: number): number {
    this.#word.begin(this.#place.types);
    this.#fresh = false;
    this.#expects = 'word';
    return at;
  }

  #readWord(text: string, at: number): number {
    const end = this.#word.read(text, at, this.#ended);
    this.#undecided = this.#word.state === 'undecided';
    if (this.#word.state === 'read') this.#endValue();
    return end;
  }

  /** Returns the brackets that would complete the value; undefined if more than brackets is missing. */
  #missingBrackets(): string | undefined {
    const isBetween = this.#expects === 'after' || (this.#fresh && this.#expects !== 'depth');
    if (!isBetween || this.#word.faulty) return undefined;
    const isBare = this.#fresh && this.#open.length === 1;
    if (isBare && this.#options.place === UNKNOWN) return undefined;
    if (this.#open.some(({ missing }) => missing.length > 0)) return undefined;
    return String.fromCharCode(...this.#open.map(({ closer }) => closer).reverse());
  }
}

/** Token that must come next. `quote`: the end of a string. `lost` and `depth`: anything. */
type Expectation = 'value' | 'key' | 'colon' | 'after' | 'comma' | 'quote' | 'word' | 'lost' | 'depth' | 'nothing';

interface Container {
  readonly closer: number;
  readonly place: SchemaPlace;
  /** Required properties that have not come yet. */
  missing: readonly string[];
}

const NOTHING: readonly string[] = [];
const NOWHERE: Container = { closer: 0, place: UNKNOWN, missing: NOTHING };

function repairWhole(text: string, options: ValueRepairOptions): string | undefined {
  const repair = new ValueRepair(options);
  const value = repair.push(text);
  if (!repair.done || repair.rest.trim() !== '') return undefined;
  return isJson(value) ? value : undefined;
}

/** Returns the name that a key has once its escapes are repaired, as the next reader sees it. */
function unescaped(literal: string): string {
  const options = { place: UNKNOWN, depth: 0, htmlEntities: false, report: () => {} };
  const repaired = repairWhole(`"${literal}"`, options);
  return repaired === undefined ? literal : JSON.parse(repaired);
}
