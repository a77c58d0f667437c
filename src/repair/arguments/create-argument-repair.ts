import type { JsonSchema } from '../../base/json-schema.ts';
import type { RepairId } from '../catalog.ts';
import { CLOSE_LIST, CLOSE_OBJECT, OPEN_OBJECT, QUOTE } from '../json-characters.ts';
import { type RepairReport, reportOnce } from '../report.ts';
import { isSpace, skipSpace } from '../white-space.ts';
import { isJson } from './is-json.ts';
import { Repetition } from './repetition.ts';
import { type SchemaPlace, schemaPlace, UNKNOWN } from './schema-place.ts';
import { ValueRepair } from './value-repair.ts';

/** Repair of the arguments of one call while they arrive. Arguments without a fault pass unchanged. */
export interface ArgumentRepair {
  /**
   * Reads a piece and returns the text that is certain by now. The first object is 0; each later object is a call of
   * its own (C6).
   */
  push(piece: string): readonly ArgumentPiece[];
  /** Ends the arguments and returns the rest. `cut`: a limit was reached, so no bracket is closed. */
  end(cut: boolean): ArgumentEnd;
  /** State of the text so far. `complete`: the current object is closed, and nothing follows it. */
  readonly state: 'blank' | 'open' | 'complete';
}

/** Repaired text of one object. */
export interface ArgumentPiece {
  readonly object: number;
  readonly text: string;
}

export interface ArgumentEnd {
  readonly pieces: readonly ArgumentPiece[];
  /** `broken`: the arguments were cut off, and the call must not run. */
  readonly state: 'whole' | 'broken';
}

export interface ArgumentRepairOptions {
  /** Schema of the tool's arguments; undefined if the tool is unknown. */
  readonly schema: JsonSchema | undefined;
  /** Whether the server escapes arguments as HTML. */
  readonly htmlEntities: boolean;
  readonly onRepair: (id: RepairId, before: string, after: string) => void;
}

export function createArgumentRepair(options: ArgumentRepairOptions): ArgumentRepair {
  return new Arguments(options);
}

/** Arguments handles the text around the objects; a `ValueRepair` handles each object. */
class Arguments implements ArgumentRepair {
  readonly #options: ArgumentRepairOptions;
  readonly #report: RepairReport;
  readonly #place: SchemaPlace;
  #stage: Stage = 'blank';
  #object = 0;
  #pieces: { object: number; text: string }[] = [];
  #value: ValueRepair;
  /** The current object as it came, or the held text of a value that may hold an object. */
  #raw: string[] = [];
  #repetition = new Repetition('');
  #held = '';
  /** Repairs of a held text, reported if the repaired text goes out. */
  readonly #unreported: Parameters<RepairReport>[] = [];

  constructor(options: ArgumentRepairOptions) {
    this.#options = options;
    this.#report = reportOnce(options.onRepair);
    this.#place = schemaPlace(options.schema);
    this.#value = this.#createValue();
  }

  get state(): 'blank' | 'open' | 'complete' {
    if (this.#stage === 'blank') return 'blank';
    return this.#stage === 'closed' ? 'complete' : 'open';
  }

  push(piece: string): readonly ArgumentPiece[] {
    this.#pieces = [];
    let rest = piece;
    while (rest !== '') rest = this.#read(rest);
    return this.#pieces;
  }

  end(cut: boolean): ArgumentEnd {
    this.#pieces = [];
    const whole = this.#end(cut);
    return { pieces: this.#pieces, state: whole ? 'whole' : 'broken' };
  }

  /** Reads some of the text and returns the rest. */
  #read(text: string): string {
    switch (this.#stage) {
      case 'blank':
        return this.#begin(text);
      case 'object':
        return this.#readObject(text);
      case 'closed':
        return this.#readBetween(text);
      case 'again':
        return this.#compare(text);
      case 'encoded':
        return this.#readEncoded(text);
      case 'null':
        return this.#readNull(text);
      case 'foreign':
        this.#emit(text);
        return '';
    }
  }

  #begin(text: string): string {
    const at = skipSpace(text, 0);
    if (at === text.length) {
      this.#emit(text);
      return '';
    }
    this.#stage = STAGES.get(text.charCodeAt(at)) ?? 'foreign';
    if (this.#stage === 'object') return text;
    if (this.#stage === 'encoded') this.#value = this.#createEncoded();
    this.#emit(text.slice(0, at));
    return text.slice(at);
  }

  #readObject(text: string): string {
    this.#emit(this.#value.push(text));
    const { done, rest } = this.#value;
    this.#raw.push(rest === '' ? text : text.slice(0, -rest.length));
    if (done) this.#stage = 'closed';
    return rest;
  }

  /** Emits white space with the object before it, where it is harmless and does not have to wait. */
  #readBetween(text: string): string {
    const at = skipSpace(text, 0);
    this.#emit(text.slice(0, at));
    if (at === text.length) return '';
    const code = text.charCodeAt(at);
    if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      this.#report('C9', `}${text.charAt(at)}`, '}');
      return text.slice(at + 1);
    }
    this.#stage = code === OPEN_OBJECT ? 'again' : 'foreign';
    if (this.#stage === 'again') this.#repetition = new Repetition(this.#raw.join('').trimStart());
    return text.slice(at);
  }

  #compare(text: string): string {
    const comparison = this.#repetition.push(text);
    if (comparison === 'undecided') return '';
    if (comparison === 'same') return this.#dropRepetition();
    return this.#beginAnother();
  }

  #dropRepetition(): string {
    const { object } = this.#repetition;
    this.#report('C5', object + object, object);
    this.#stage = 'closed';
    return this.#repetition.rest;
  }

  /** Begins the next object and returns the text of it that was already read. */
  #beginAnother(): string {
    const { object } = this.#repetition;
    this.#report('C6', `${object}{`, object);
    this.#object++;
    this.#raw = [];
    this.#value = this.#createValue();
    this.#stage = 'object';
    return this.#repetition.text;
  }

  #readEncoded(text: string): string {
    this.#held += this.#value.push(text);
    const { done, rest } = this.#value;
    this.#raw.push(rest === '' ? text : text.slice(0, -rest.length));
    if (!done) return '';
    const raw = this.#raw.join('');
    this.#stage = 'foreign';
    if (!this.#unwrap(raw, JSON.parse(this.#held))) this.#emit(raw);
    return rest;
  }

  /** Repairs arguments that were encoded twice like any others, but only if they are complete. */
  #unwrap(raw: string, text: string): boolean {
    if (STAGES.get(text.charCodeAt(skipSpace(text, 0))) !== 'object') return false;
    const onRepair: RepairReport = (...repair) => this.#unreported.push(repair);
    const repair = createArgumentRepair({ ...this.#options, onRepair });
    const pieces = repair.push(text);
    if (repair.state !== 'complete' || !pieces.every((piece) => isJson(piece.text))) return false;
    this.#report('C2', raw, text);
    for (const repair of this.#unreported) this.#report(...repair);
    for (const piece of pieces) {
      this.#object = piece.object;
      this.#emit(piece.text);
    }
    this.#raw = [pieces.at(-1)?.text ?? ''];
    this.#stage = 'closed';
    return true;
  }

  #readNull(text: string): string {
    const word = this.#held + text;
    if ('null'.startsWith(word)) {
      this.#held = word;
      return '';
    }
    if (!word.startsWith('null') || !isSpace(word.charCodeAt('null'.length))) {
      this.#stage = 'foreign';
      return word;
    }
    this.#emitEmpty('C1', 'null');
    return word.slice('null'.length);
  }

  /** Reports whether the text that ends here is whole. */
  #end(cut: boolean): boolean {
    switch (this.#stage) {
      case 'blank':
        if (!cut) this.#emitEmpty('C4', '');
        return !cut;
      case 'null':
        if (this.#held === 'null' && !cut) this.#emitEmpty('C1', this.#held);
        else this.#emit(this.#held);
        return !cut;
      case 'encoded':
        this.#emit(this.#raw.join(''));
        return false;
      case 'again':
        return this.#endAgain(cut);
      case 'object':
        return this.#endObject(cut);
      case 'closed':
        return true;
      case 'foreign':
        return !cut;
    }
  }

  #endAgain(cut: boolean): boolean {
    if (!cut && this.#repetition.lacksBrackets) {
      this.#dropRepetition();
      return true;
    }
    this.#readObject(this.#beginAnother());
    // A mere beginning of the object before is a piece in a wrong place, and not a call of its own.
    return this.#endObject(true);
  }

  #endObject(cut: boolean): boolean {
    const { text, whole } = this.#value.end(cut);
    this.#emit(text);
    return whole;
  }

  #emitEmpty(id: RepairId, before: string): void {
    this.#report(id, before, '{}');
    this.#raw = ['{}'];
    this.#emit('{}');
    this.#stage = 'closed';
  }

  #emit(text: string): void {
    if (text === '') return;
    const last = this.#pieces.at(-1);
    if (last?.object === this.#object) last.text += text;
    else this.#pieces.push({ object: this.#object, text });
  }

  #createValue(): ValueRepair {
    const { htmlEntities } = this.#options;
    return new ValueRepair({ place: this.#place, depth: 0, htmlEntities, report: this.#report });
  }

  #createEncoded(): ValueRepair {
    const report: RepairReport = (...repair) => this.#unreported.push(repair);
    return new ValueRepair({ place: UNKNOWN, depth: 0, htmlEntities: false, report });
  }
}

/** `again`: an object that may repeat the one before. `foreign`: not a JSON object, passed as it comes. */
type Stage = 'blank' | 'object' | 'closed' | 'again' | 'encoded' | 'null' | 'foreign';

/** The stage that a first character begins. */
const STAGES: ReadonlyMap<number, Stage> = new Map([
  [OPEN_OBJECT, 'object'],
  [QUOTE, 'encoded'],
  ['n'.charCodeAt(0), 'null'],
]);
