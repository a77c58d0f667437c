import type { Segment, TextScanner } from '../text/segment.ts';
import { isBlank } from '../white-space.ts';
import type { EventFrame } from './event-frame.ts';
import { HeldFrames } from './held-frames.ts';
import type { EventOutput } from './output.ts';
import { SentText } from './sent-text.ts';

type PlainType = 'text' | 'reasoning';

export interface TextPartOptions {
  readonly scanner: TextScanner;
  readonly output: EventOutput;
  /** What the plain text of this part is; segments of the other kind go to `onOther`. */
  readonly plain: PlainType;
  /** White space at the beginning waits for more: alone it is no text. */
  readonly trimsStart: boolean;
  /** A text is about to go out, as long as the part announces it. */
  readonly onText: () => void;
  readonly onOther: (segment: Segment, part: TextPart) => void;
}

/** One text of an item on its way from deltas to deltas. */
export class TextPart {
  /** Something was taken out of the text. */
  touched = false;
  ended = false;
  /** Whether `onText` wants to know of the next text. */
  announcesText = true;
  readonly #options: TextPartOptions;
  readonly #held = new HeldFrames();
  readonly #kept = new SentText();
  #begun: boolean;
  #blank = '';
  /** A delta came. */
  #streamed = false;
  #last: EventFrame | undefined;
  #paused: Segment[] | undefined;
  /** The whole text of a part without deltas, until it is compared with what goes out. */
  #told: string | undefined;

  constructor(options: TextPartOptions) {
    this.#options = options;
    this.#begun = !options.trimsStart;
  }

  push(delta: string, frame: EventFrame): void {
    if (this.ended) {
      this.#pushLate(delta, frame);
      return;
    }
    if (this.passes(delta) || this.#isEmptyPiece(delta)) {
      this.#options.output.pass(frame);
      return;
    }
    const { scanner } = this.#options;
    this.#streamed = true;
    this.#last = frame;
    if (!this.touched) this.#held.add(frame, delta);
    for (const segment of scanner.push(delta)) this.#take(segment);
  }

  /** Whether a delta says nothing and need not wait: at the beginning of a text it must not announce one. */
  #isEmptyPiece(delta: string): boolean {
    return delta === '' && this.#begun && !this.touched && this.#held.isEmpty && !this.isPaused;
  }

  /** A delta behind the end of the text is not part of it. It passes only where the end says what the server said. */
  #pushLate(delta: string, frame: EventFrame): void {
    if (this.touched) return;
    if (this.announcesText && !isBlank(delta)) this.#options.onText();
    this.#options.output.pass(frame);
  }

  /** Takes a delta that may go out as it is. Otherwise nothing happens. */
  passes(delta: string): boolean {
    const { scanner, plain } = this.#options;
    if (this.ended || !this.#begun || !this.#held.isEmpty || !scanner.passes(delta, plain)) return false;
    this.#streamed = true;
    if (this.announcesText) this.#options.onText();
    if (this.touched) this.#kept.add(delta);
    else this.#kept.addUnchanged(delta);
    return true;
  }

  /** Whether its text is under way, with nothing held back. */
  get isRunning(): boolean {
    return this.#begun && !this.ended && !this.announcesText && this.#held.isEmpty;
  }

  /** No more will come. `whole` is the text as the server says it was: it counts if there were no deltas. */
  end(whole: string): void {
    if (this.ended) return;
    this.ended = true;
    const { scanner } = this.#options;
    for (const segment of this.#streamed ? [] : scanner.push(whole)) this.#take(segment);
    for (const segment of scanner.end()) this.#take(segment);
    if (!this.#streamed) this.#told = whole;
    this.#compare();
  }

  /** Without deltas it shows in the whole text whether something was taken out, as soon as all of it is decided. */
  #compare(): void {
    if (this.#told === undefined || this.#paused !== undefined) return;
    const kept = this.#kept.whole;
    if (kept !== undefined && this.#blank + kept !== this.#told) this.touched = true;
    this.#told = undefined;
  }

  /** After the end: lets go of what is still held, but for white space at the beginning that is to be dropped. */
  settle(drop: boolean): void {
    const text = drop ? '' : this.#blank;
    this.#blank = '';
    this.#begun = true;
    this.#emit(text);
    if (!this.#held.isEmpty) this.touch();
  }

  /** Something that was in the text does not stay in it. */
  touch(): void {
    if (this.touched) return;
    this.touched = true;
    for (const frame of this.#held.giveUp()) this.#options.output.push(frame);
  }

  /** Gives plain text out. */
  send(text: string): void {
    this.#blank += text;
    if (!this.#begun && isBlank(text)) return;
    this.#begun = true;
    const whole = this.#blank;
    this.#blank = '';
    this.#options.onText();
    this.#emit(whole);
  }

  /** What follows waits until it is clear what becomes of a segment. */
  pause(segment: Segment): void {
    this.#paused = [segment];
  }

  get isPaused(): boolean {
    return this.#paused !== undefined;
  }

  resume(): void {
    const segments = this.#paused ?? [];
    this.#paused = undefined;
    for (const segment of segments) this.#take(segment);
    this.#compare();
  }

  /** The text as it went out, where the server says it was `original`. */
  wholeFrom(original: string): string {
    return this.touched ? this.#kept.wholeFrom(original) : original;
  }

  /** The text as it went out; undefined if it is too long to be known. */
  get whole(): string | undefined {
    return this.#kept.whole;
  }

  #take(segment: Segment): void {
    if (this.#paused !== undefined) this.#paused.push(segment);
    else if (segment.type === this.#options.plain) {
      if (!(segment.trails && this.touched)) this.send(segment.text);
    } else this.#options.onOther(segment, this);
  }

  #emit(text: string): void {
    const { output } = this.#options;
    let left = text;
    if (this.touched) this.#kept.add(text);
    else {
      this.#kept.addUnchanged(text);
      const { frames, rest } = this.#held.release(text);
      for (const frame of frames) output.push(frame);
      left = rest;
      if (left !== '' && this.#streamed) this.touch();
    }
    if (left === '' || this.#last === undefined) return;
    output.rewrite(this.#last, { delta: left });
  }
}
