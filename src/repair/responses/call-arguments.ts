import type { Frame } from '../../base/wire.ts';
import type { ArgumentPiece, ArgumentRepair } from '../arguments/create-argument-repair.ts';
import { isBlank } from '../white-space.ts';
import type { EventFrame } from './event-frame.ts';
import { HeldFrames } from './held-frames.ts';
import type { EventOutput } from './output.ts';

export interface CallArgumentsOptions {
  readonly createRepair: () => ArgumentRepair;
  /** Undefined if the deltas do not go out. */
  readonly output: EventOutput | undefined;
}

/** Arguments of one call, between the deltas that came and the deltas that go out. */
export class CallArguments {
  /** Undefined while more may come. */
  end: 'whole' | 'broken' | undefined;
  /** Whether a piece may be missing, so that only a whole text counts. */
  hasHole = false;
  /** Number of characters that came. */
  length = 0;
  readonly #options: CallArgumentsOptions;
  #repair: ArgumentRepair;
  #came: string[] = [];
  /** Texts of the objects. Each object after the first is a call of its own. */
  #objects: string[][] = [];
  readonly #held = new HeldFrames();
  #last: EventFrame | undefined;

  constructor(options: CallArgumentsOptions) {
    this.#options = options;
    this.#repair = options.createRepair();
  }

  push(delta: string, frame: EventFrame): void {
    if (this.end !== undefined) return;
    this.#came.push(delta);
    this.length += delta.length;
    const pieces = this.#repair.push(delta);
    const only = pieces.length === 1 ? pieces[0] : undefined;
    if ((delta === '' || (only?.object === 0 && only.text === delta)) && this.#held.isEmpty) {
      this.#object(0).push(delta);
      this.#options.output?.pass(frame);
      return;
    }
    this.#last = frame;
    this.#held.add(frame, delta);
    this.#take(pieces);
  }

  /**
   * Ends the arguments. A whole text that differs from the pieces replaces them. `cut`: more may have been meant to
   * come, so nothing is added.
   */
  settle(whole: string | undefined, cut: boolean): void {
    if (whole !== undefined && !isBlank(whole)) this.hasHole = false;
    if (whole !== undefined && this.#isOther(whole)) this.#restart(whole);
    else if (this.end === 'broken' && !cut) this.#restart(this.came);
    if (this.end !== undefined) return;
    const { pieces, state } = this.#repair.end(cut);
    this.#take(pieces);
    this.end = this.hasHole ? 'broken' : state;
    this.#emit(this.#held.release('').frames);
    if (!this.#held.isEmpty) this.#emit(this.#held.giveUp());
  }

  /** State of the text so far. */
  get state(): 'blank' | 'open' | 'complete' {
    return this.end === 'whole' ? 'complete' : this.#repair.state;
  }

  /** Text as it came. */
  get came(): string {
    return this.#came.join('');
  }

  /** Repaired text. */
  get text(): string {
    return this.#object(0).join('');
  }

  /** Arguments of further calls. */
  get others(): readonly string[] {
    return this.#objects.slice(1).map((pieces) => pieces.join(''));
  }

  /** Whether nothing but white space came. */
  get isBlank(): boolean {
    return this.#came.every(isBlank);
  }

  /** Reports whether the pieces made a whole text and then began again, so that the rest does not count. */
  beginsAgainAfter(whole: string): boolean {
    return whole === this.text && whole !== this.came && this.#repair.state === 'open' && this.end === undefined;
  }

  /** Reports whether a whole text differs from the text that came and from its repaired form. */
  #isOther(whole: string): boolean {
    if (isBlank(whole) || whole === this.came) return false;
    return whole !== this.text || this.beginsAgainAfter(whole);
  }

  #restart(whole: string): void {
    this.#repair = this.#options.createRepair();
    this.#came = [whole];
    this.length = whole.length;
    this.#objects = [];
    this.#last = undefined;
    this.#held.giveUp();
    this.end = undefined;
    this.#take(this.#repair.push(whole));
  }

  #take(pieces: readonly ArgumentPiece[]): void {
    for (const { object, text } of pieces) {
      this.#object(object).push(text);
      if (object === 0) this.#emitText(text);
    }
  }

  #emitText(text: string): void {
    const { frames, rest } = this.#held.release(text);
    this.#emit(frames);
    if (rest === '') return;
    this.#emit(this.#held.giveUp());
    if (this.#last !== undefined) this.#options.output?.rewrite(this.#last, { delta: rest });
  }

  #emit(frames: readonly Frame[]): void {
    for (const frame of frames) this.#options.output?.push(frame);
  }

  #object(n: number): string[] {
    let pieces = this.#objects[n];
    if (pieces === undefined) {
      pieces = [];
      this.#objects[n] = pieces;
    }
    return pieces;
  }
}
