import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import type { EventFrame } from './event-frame.ts';

const NONE: Frame[] = [];

/** The frames that go out, in their order. */
export class EventOutput {
  /** Of the event at hand, for events that are made beside it. */
  sequence: unknown;
  #isClosed = false;
  /** Nearly always there is one frame only: a list that grows would cost more than all the rest. */
  #first: Frame | undefined;
  #others: Frame[] = NONE;
  /** The announcement of an item that has said nothing yet. It goes out before the next frame of anyone. */
  #announcement: { readonly owner: object; readonly frames: Frame[] } | undefined;

  /** A frame as it came. */
  pass(frame: EventFrame): void {
    this.push(frame);
  }

  /** A frame with some of its fields changed. */
  rewrite({ event, json }: EventFrame, changes: Fields): void {
    this.push(madeFrame({ ...json, ...changes }, event));
  }

  push(frame: Frame): void {
    if (this.#isClosed) return;
    if (this.#announcement !== undefined) this.#announce(this.#announcement.frames);
    this.#add(frame);
  }

  make(type: string, fields: Fields): void {
    this.push(this.#made(type, fields));
  }

  /** Something that goes out before the announcement that still waits. */
  makeAhead(type: string, fields: Fields): void {
    if (!this.#isClosed) this.#add(this.#made(type, fields));
  }

  /** Nothing more goes out. */
  close(): void {
    this.#isClosed = true;
    this.#announcement = undefined;
  }

  /** Holds a frame of an item's announcement back until the item says something. */
  hold(owner: object, frame: EventFrame): void {
    this.#hold(owner, frame);
  }

  holdMade(owner: object, type: string, fields: Fields): void {
    this.#hold(owner, this.#made(type, fields));
  }

  waitsFor(owner: object): boolean {
    return this.#announcement?.owner === owner;
  }

  /** The item turned out to say nothing: it was never announced. */
  forget(): void {
    this.#announcement = undefined;
  }

  /** Everything since the last time. */
  take(): readonly Frame[] {
    const first = this.#first;
    if (first === undefined) return NONE;
    const others = this.#others;
    this.#first = undefined;
    this.#others = NONE;
    return others === NONE ? [first] : [first, ...others];
  }

  /** Also what was waiting. */
  takeAll(): readonly Frame[] {
    if (this.#announcement !== undefined) this.#announce(this.#announcement.frames);
    return this.take();
  }

  #hold(owner: object, frame: Frame): void {
    if (this.#announcement?.owner === owner) {
      this.#announcement.frames.push(frame);
      return;
    }
    if (this.#announcement !== undefined) this.#announce(this.#announcement.frames);
    this.#announcement = { owner, frames: [frame] };
  }

  #announce(frames: readonly Frame[]): void {
    this.#announcement = undefined;
    for (const frame of frames) this.#add(frame);
  }

  #add(frame: Frame): void {
    if (this.#first === undefined) this.#first = frame;
    else if (this.#others === NONE) this.#others = [frame];
    else this.#others.push(frame);
  }

  #made(type: string, fields: Fields): Frame {
    const numbered = this.sequence === undefined ? undefined : { sequence_number: this.sequence };
    return madeFrame({ type, ...numbered, ...fields }, type);
  }
}
