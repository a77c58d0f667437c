import type { Frame } from '../../base/wire.ts';
import type { Unit } from './chunk.ts';
import type { FrameQueue, QueuePlace } from './frame-queue.ts';

/**
 * One text (the answer, the reasoning, or the arguments of a call) between the frames that came and the frames that go
 * out. While the text is unchanged the original frames go out, sometimes a little later.
 */
export interface HeldText {
  /** Whether no frame is held. */
  readonly isEmpty: boolean;
  /** Passes a unit whose text is `came`. `goes` is the text that is certain by now. */
  pass(unit: Unit, came: string, goes: string): void;
  /** Whether everything waits because another field of the first frame is undecided. */
  locked: boolean;
  /** Releases the held frames if all of their text is certain and unchanged. */
  settle(): void;
  /**
   * Releases the text that is certain: in its original frames as far as it is unchanged, the rest in a written frame.
   */
  release(): void;
  /** Releases the text that is certain in the first held frame, which is written anew. */
  rewrite(): void;
  /** Passes a unit with another text, at once unless the text is locked. */
  replace(unit: Unit, goes: string): void;
  /** Adds certain text that comes without a frame. Returns the text that no held frame can carry. */
  finish(goes: string): string;
}

export interface HeldTextOptions {
  readonly queue: FrameQueue;
  /** Writes a frame like that of a unit with another text; undefined if the frame would be empty. */
  readonly write: (unit: Unit, text: string) => Frame | undefined;
}

/**
 * The most undecided characters for which a frame is held as a whole. Then its certain part goes out. Certain text alone
 * cuts no frame: its end may look undecided to a second repair, which would cut the frame once more.
 */
const MAX_UNDECIDED_CHARS = 256;

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
  /** Text of the held frames, and the part of it that is certain. */
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
    if (this.#came === this.#certain || !this.#came.startsWith(this.#certain)) this.release();
    else this.#releaseFirst();
  }

  /** Releases the first frames, as far as their text is certain. */
  #releaseFirst(): void {
    while (this.#certain !== '') {
      const first = this.#held[0];
      if (first === undefined || first.came.length > this.#certain.length) break;
      this.#held.shift();
      this.#came = this.#came.slice(first.came.length);
      this.#certain = this.#certain.slice(first.came.length);
      this.#queue.settle(first.place, first.unit.frame);
    }
    if (this.#certain !== '' && this.#came.length - this.#certain.length > MAX_UNDECIDED_CHARS) this.release();
  }

  /** Removes and returns all held units. */
  #forget(): readonly HeldUnit[] {
    const held = this.#held;
    this.#held = [];
    this.#came = '';
    this.#certain = '';
    return held;
  }
}
