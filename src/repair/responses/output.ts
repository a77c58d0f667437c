import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import type { EventFrame } from './event-frame.ts';

const NONE: readonly Frame[] = [];

/** Frames that go out, in order. */
export class EventOutput {
  /** Sequence number of the current event, for events that are made next to it. */
  sequence: unknown;
  #isClosed = false;
  /** Nearly always there is only one frame, and a growing list would cost more than everything else. */
  #first: Frame | undefined;
  #others: Frame[] | undefined;
  /** Announcement of an item that has no content yet. It goes out before the next frame of any item. */
  #announcement: { readonly owner: object; readonly frames: Frame[] } | undefined;

  /** Emits a frame as it came. */
  pass(frame: EventFrame): void {
    this.push(frame);
  }

  /** Emits a frame with some of its fields changed. */
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

  /** Emits an event before the announcement that waits. */
  makeAhead(type: string, fields: Fields): void {
    if (!this.#isClosed) this.#add(this.#made(type, fields));
  }

  /** Ends the output. Later frames are dropped. */
  close(): void {
    this.#isClosed = true;
    this.#announcement = undefined;
  }

  /** Holds back a frame of an item's announcement until the item has content. */
  hold(owner: object, frame: EventFrame): void {
    this.#hold(owner, frame);
  }

  holdMade(owner: object, type: string, fields: Fields): void {
    this.#hold(owner, this.#made(type, fields));
  }

  waitsFor(owner: object): boolean {
    return this.#announcement?.owner === owner;
  }

  /** Drops the announcement of an item that turned out to be empty. */
  forget(): void {
    this.#announcement = undefined;
  }

  /** Removes and returns all frames since the last call. */
  take(): readonly Frame[] {
    const first = this.#first;
    if (first === undefined) return NONE;
    const others = this.#others;
    this.#first = undefined;
    this.#others = undefined;
    return others === undefined ? [first] : [first, ...others];
  }

  /** Does the same, with the announcement that waits. */
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
    else if (this.#others === undefined) this.#others = [frame];
    else this.#others.push(frame);
  }

  #made(type: string, fields: Fields): Frame {
    const numbered = this.sequence === undefined ? undefined : { sequence_number: this.sequence };
    return madeFrame({ type, ...numbered, ...fields }, type);
  }
}
