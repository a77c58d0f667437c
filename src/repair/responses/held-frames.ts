import type { Frame } from '../../base/wire.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import type { EventFrame } from './event-frame.ts';

interface HeldFrame {
  readonly frame: EventFrame;
  /** Part of the delta that has not gone out yet. */
  text: string;
  /** Number of characters of that part which may go out. */
  sure: number;
}

/** Deltas with more text than this do not wait as a whole: the certain part goes out. */
const MAX_WHOLE = 256;

/** Deltas that are held back, so that deltas without a fault go out as they came. */
export class HeldFrames {
  #held: HeldFrame[] = [];
  #first = 0;

  get isEmpty(): boolean {
    return this.#first === this.#held.length;
  }

  add(frame: EventFrame, text: string): void {
    this.#held.push({ frame, text, sure: 0 });
  }

  /** Returns the frames of a text that may go out. `rest` is the part of the text that no held frame has. */
  release(text: string): { readonly frames: readonly Frame[]; readonly rest: string } {
    const frames: Frame[] = [];
    let at = 0;
    for (let head = this.#held[this.#first]; head !== undefined; head = this.#held[this.#first]) {
      const sure = Math.min(head.text.length - head.sure, text.length - at);
      if (head.text.slice(head.sure, head.sure + sure) !== text.slice(at, at + sure)) break;
      at += sure;
      head.sure += sure;
      if (head.sure < head.text.length) {
        if (head.text.length > MAX_WHOLE) frames.push(...sureOf(head));
        break;
      }
      frames.push(head.text === head.frame.json.delta ? head.frame : cut(head, head.text));
      this.#first++;
    }
    if (this.isEmpty) this.#clear();
    return { frames, rest: text.slice(at) };
  }

  /** Returns the certain part and forgets the rest, which goes out as another text. */
  giveUp(): readonly Frame[] {
    const head = this.#held[this.#first];
    this.#clear();
    return head === undefined ? [] : sureOf(head);
  }

  #clear(): void {
    this.#held = [];
    this.#first = 0;
  }
}

function sureOf(head: HeldFrame): readonly Frame[] {
  if (head.sure === 0) return [];
  const frame = cut(head, head.text.slice(0, head.sure));
  head.text = head.text.slice(head.sure);
  head.sure = 0;
  return [frame];
}

function cut({ frame: { event, json } }: HeldFrame, delta: string): Frame {
  return madeFrame({ ...json, delta }, event);
}
