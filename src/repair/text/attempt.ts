import { MAX_ARGUMENT_CHARS } from '../limits.ts';
import type { Construct, ConstructOutcome, ScannerState } from './construct.ts';
import { Cursor } from './cursor.ts';

/**
 * Result of the constructs that were tried at a marker. `read` is how far the text was read for the decision. `block`
 * is how much of the text is a block that may not run; `Infinity` means all of the text that follows. `hopeless` is
 * such a block whose end has not come yet.
 */
export type AttemptVerdict =
  | { readonly type: 'found'; readonly outcome: ConstructOutcome; readonly construct: Construct; readonly read: number }
  | { readonly type: 'refused'; readonly read: number; readonly block: number }
  | { readonly type: 'hopeless'; readonly block: number };

/** Reads the text from a marker on as each of the constructs that may begin there, side by side. */
export class Attempt {
  readonly #pieces: string[] = [];
  #length = 0;
  readonly #readings: readonly Reading[];

  constructor(constructs: readonly Construct[], state: ScannerState) {
    this.#readings = constructs.map((construct) => {
      const cursor = new Cursor();
      return { construct, cursor, steps: construct.read(cursor, state), over: false, outcome: undefined };
    });
  }

  /** Reads more of the text. Undefined while the result is open. */
  feed(text: string): AttemptVerdict | undefined {
    this.#pieces.push(text);
    // Readers see no more than the longest block, so that the end of an attempt does not depend on the pieces.
    const room = MAX_ARGUMENT_CHARS - this.#length;
    const piece = text.length > room ? text.slice(0, room) : text;
    this.#length += piece.length;
    for (const reading of this.#readings) {
      if (reading.over) continue;
      reading.cursor.feed(piece);
      advance(reading);
    }
    return this.#verdict() ?? (this.#length < MAX_ARGUMENT_CHARS ? undefined : this.#tooLong());
  }

  /** Ends the text. */
  end(): AttemptVerdict {
    for (const reading of this.#readings) {
      if (reading.over) continue;
      reading.cursor.end();
      advance(reading);
    }
    return this.#verdict() ?? this.#tooLong();
  }

  /** All text so far. */
  get text(): string {
    return this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
  }

  /** Returns the result of the first construct in order, regardless of which one was decided first. */
  #verdict(): AttemptVerdict | undefined {
    let read = 0;
    let block = 0;
    let hopeless = false;
    for (const { construct, cursor, over, outcome } of this.#readings) {
      if (!over && !(cursor.begun && cursor.rejected)) return undefined;
      if (outcome !== undefined) return { type: 'found', outcome, construct, read: cursor.position };
      hopeless ||= !over;
      read = Math.max(read, cursor.position);
      if (cursor.begun) block = Math.max(block, over ? (cursor.blockEnd ?? Number.POSITIVE_INFINITY) : cursor.position);
    }
    if (!hopeless) return { type: 'refused', read, block };
    return this.#length < MAX_ARGUMENT_CHARS ? { type: 'hopeless', block } : undefined;
  }

  #tooLong(): AttemptVerdict {
    const begun = this.#readings.some(({ cursor }) => cursor.begun);
    return { type: 'refused', read: this.#length, block: begun ? Number.POSITIVE_INFINITY : 0 };
  }
}

interface Reading {
  readonly construct: Construct;
  readonly cursor: Cursor;
  readonly steps: Generator<void, ConstructOutcome | undefined, void>;
  over: boolean;
  outcome: ConstructOutcome | undefined;
}

function advance(reading: Reading): void {
  const step = reading.steps.next();
  if (step.done !== true) return;
  reading.over = true;
  if (step.value === undefined) return;
  if (reading.cursor.rejected) reading.cursor.endBlock();
  else reading.outcome = step.value;
}

/** Reports whether too many characters were read without result, for a text of this length. */
export function isTooMuch(read: number, length: number): boolean {
  return read > FREE_READING + MOST_READINGS * length;
}

const FREE_READING = 64 * 1024;
const MOST_READINGS = 4;
