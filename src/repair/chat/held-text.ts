import type { Frame } from '../../base/wire.ts';
import type { Unit } from './chunk.ts';
import type { FrameQueue, QueuePlace } from './frame-queue.ts';

/**
 * The way of one text (of the answer, of the reasoning, of the arguments of a call) from frames to frames. As long as
 * what goes out is what came, the frames themselves go out, if need be a little later.
 */
export interface HeldText {
  /** Whether nothing is held. */
  readonly isEmpty: boolean;
  /** A unit came with `came` in it, and `goes` is certain by now. */
  pass(unit: Unit, came: string, goes: string): void;
  /** While true, nothing goes out: something else of the first frame is not certain. */
  locked: boolean;
  /** The frames that are held go out if all of their text is certain and the same. */
  settle(): void;
  /** What is certain goes out: in the frames it came in as far as it is the same, the rest in one that is written. */
  release(): void;
  /** What is certain goes out in the first frame, which is written anew. */
  rewrite(): void;
  /** A unit of which another text goes out, at once unless the lane is locked. */
  replace(unit: Unit, goes: string): void;
  /** More is certain, and no frame comes with it. Gives what no frame is there for any more. */
  finish(goes: string): string;
}

export interface HeldTextOptions {
  readonly queue: FrameQueue;
  /** A frame like that of a unit, with another text; undefined if there is nothing to say. */
  readonly write: (unit: Unit, text: string) => Frame | undefined;
}

/** Frames with more text than this are not held as a whole: what is certain of them goes out. */
const MAX_HELD_CHARS = 256;

export function createHeldText(options: HeldTextOptions): HeldText {
  return new FrameText(options);
}

interface HeldUnit {
  readonly unit: Unit;
  readonly came: string;
  readonly place: QueuePlace;
}

class FrameText implements HeldText {
  locked = false;
  readonly #queue: FrameQueue;
  readonly #write: HeldTextOptions['write'];
  #held: HeldUnit[] = [];
  /** The text of the frames that are held, and what is certain of it. */
  #came = '';
  #certain = '';

  constructor({ queue, write }: HeldTextOptions) {
    this.#queue = queue;
    this.#write = write;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0 && !this.locked;
  }

  pass(unit: Unit, came: string, goes: string): void {
    if (this.isEmpty && came === goes) this.#queue.put(unit.frame);
    else this.#hold(unit, came, goes);
  }

  settle(): void {
    if (this.#came === this.#certain)
      for (const { unit, place } of this.#forget()) this.#queue.settle(place, unit.frame);
  }

  release(): void {
    let rest = this.#certain;
    const held = this.#forget();
    const last = held.at(-1);
    for (const entry of held) {
      const isSame = entry === last ? rest === entry.came : rest !== '' && rest.startsWith(entry.came);
      this.#queue.settle(entry.place, isSame ? entry.unit.frame : this.#write(entry.unit, rest));
      rest = isSame ? rest.slice(entry.came.length) : '';
    }
  }

  rewrite(): void {
    let rest = this.#certain;
    for (const { unit, place } of this.#forget()) {
      this.#queue.settle(place, this.#write(unit, rest));
      rest = '';
    }
  }

  replace(unit: Unit, goes: string): void {
    if (!this.locked) this.release();
    const frame = this.#write(unit, goes);
    if (frame === undefined) return;
    if (this.locked) this.#hold({ ...unit, frame }, goes, goes);
    else this.#queue.put(frame);
  }

  finish(goes: string): string {
    if (this.#held.length === 0) return goes;
    this.#certain += goes;
    if (!this.locked) this.release();
    return '';
  }

  #hold(unit: Unit, came: string, goes: string): void {
    this.#held.push({ unit, came, place: this.#queue.hold() });
    this.#came += came;
    this.#certain += goes;
    if (this.locked) return;
    const isUndecided = this.#came !== this.#certain && this.#came.startsWith(this.#certain);
    if (!isUndecided || this.#came.length > MAX_HELD_CHARS) this.release();
  }

  /** Gives what was held; nothing is any more. */
  #forget(): readonly HeldUnit[] {
    const held = this.#held;
    this.#held = [];
    this.#came = '';
    this.#certain = '';
    return held;
  }
}
