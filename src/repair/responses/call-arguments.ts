import type { Frame } from '../../base/wire.ts';
import type { ArgumentPiece, ArgumentRepair } from '../arguments/create-argument-repair.ts';
import { isBlank } from '../white-space.ts';
import type { EventFrame } from './event-frame.ts';
import { HeldFrames } from './held-frames.ts';
import type { EventOutput } from './output.ts';

export interface CallArgumentsOptions {
  readonly createRepair: () => ArgumentRepair;
  /** Undefined where the deltas do not go out. */
  readonly output: EventOutput | undefined;
}

/** The arguments of one call on their way from deltas to deltas, and what they are in the end. */
export class CallArguments {
  /** Undefined as long as more may come. */
  end: 'whole' | 'broken' | undefined;
  /** Something may be missing in what came: only a whole text counts. */
  hasHole = false;
  /** How many characters came. */
  length = 0;
  readonly #options: CallArgumentsOptions;
  #repair: ArgumentRepair;
  #came: string[] = [];
  /** The texts of the objects; all but the first are calls of their own. */
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
   * No more will come. A whole text that is not what came counts instead of it. `cut`: more may have been meant to
   * come, so nothing is added to it.
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

  /** Of what came so far. */
  get state(): 'blank' | 'open' | 'complete' {
    return this.end === 'whole' ? 'complete' : this.#repair.state;
  }

  /** The text that came. */
  get came(): string {
    return this.#came.join('');
  }

  /** The text that counts. */
  get text(): string {
    return this.#object(0).join('');
  }

  /** The arguments of further calls. */
  get others(): readonly string[] {
    return this.#objects.slice(1).map((pieces) => pieces.join(''));
  }

  /** Whether anything came but white space. */
  get isBlank(): boolean {
    return this.#came.every(isBlank);
  }

  /** Whether all of what came to a whole text and then began again, so that the rest does not count. */
  beginsAgainAfter(whole: string): boolean {
    return whole === this.text && whole !== this.came && this.#repair.state === 'open' && this.end === undefined;
  }

  /** Whether a whole text is another than what came, and than what is made of it. */
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
