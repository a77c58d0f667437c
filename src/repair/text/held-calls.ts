import type { CallSegment } from './segment.ts';

/** Blocks of calls after which nothing has come but more of them. They are calls if the text ends like this. */
export class HeldCalls {
  #segments: CallSegment[] = [];

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  get segments(): readonly CallSegment[] {
    return this.#segments;
  }

  hold(segment: CallSegment): void {
    this.#segments.push(segment);
  }

  /** Adds text that disappears with the last block. */
  trail(text: string): void {
    const last = this.#segments.pop();
    if (last !== undefined) this.#segments.push({ ...last, text: last.text + text });
  }

  /** Removes and returns the blocks. */
  take(): readonly CallSegment[] {
    const segments = this.#segments;
    this.#segments = [];
    return segments;
  }
}
