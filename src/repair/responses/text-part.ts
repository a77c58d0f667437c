import type { Segment, TextScanner } from '../text/segment.ts';
import type { TextAmount } from '../text-amount.ts';
import { isBlank } from '../white-space.ts';
import type { EventFrame } from './event-frame.ts';
import { HeldFrames } from './held-frames.ts';
import type { EventOutput } from './output.ts';
import { SentText } from './sent-text.ts';

type PlainType = 'text' | 'reasoning';

export interface TextPartOptions {
  readonly scanner: TextScanner;
  readonly output: EventOutput;
  readonly amount: TextAmount;
  /** Type of the plain text of this part. Segments of other types go to `onOther`. */
  readonly plain: PlainType;
  /** Whether white space at the beginning waits for more text: alone it does not count as a text. */
  readonly trimsStart: boolean;
  /** Called before a text goes out, while `announcesText` is set. */
  readonly onText: () => void;
  readonly onOther: (segment: Segment, part: TextPart) => void;
}

/** One text of an item, between the deltas that came and the deltas that go out. */
export class TextPart {
  /** Whether something was removed from the text. */
  touched = false;
  ended = false;
  /** Whether `onText` is called before the next text. */
  announcesText = true;
  readonly #options: TextPartOptions;
  readonly #held = new HeldFrames();
  readonly #kept = new SentText();
  #begun: boolean;
  #blank = '';
  /** Whether a delta came. */
  #streamed = false;
  #last: EventFrame | undefined;
  #paused: Segment[] | undefined;
  /** The whole text of a part without deltas, until it is compared with the output. */
  #told: string | undefined;

  constructor(options: TextPartOptions) {
    this.#options = options;
    this.#begun = !options.trimsStart;
  }

  push(delta: string, frame: EventFrame): void {
    const { scanner, output, amount } = this.#options;
    if (this.passes(delta) || this.#isEmptyPiece(delta)) {
      output.pass(frame);
      return;
    }
    if (!amount.add(delta)) return;
    if (this.ended) {
      this.#pushLate(delta, frame);
      return;
    }
    this.#streamed = true;
    this.#last = frame;
    if (!this.touched) this.#held.add(frame, delta);
    for (const segment of scanner.push(delta)) this.#take(segment);
  }

  /** Reports whether a delta is empty and need not wait. At the beginning of a text it must not announce one. */
  #isEmptyPiece(delta: string): boolean {
    return delta === '' && !this.ended && this.#begun && !this.touched && this.#held.isEmpty && !this.isPaused;
  }

  /** Passes a delta after the end of the text, unless the text was changed. */
  #pushLate(delta: string, frame: EventFrame): void {
    if (this.touched) return;
    if (this.announcesText && !isBlank(delta)) this.#options.onText();
    this.#options.output.pass(frame);
  }

  /** Accepts a delta that may go out unchanged, and reports whether it did. Otherwise nothing happens. */
  passes(delta: string): boolean {
    const { scanner, plain, amount } = this.#options;
    if (this.ended || !this.#begun || !this.#held.isEmpty || !amount.fits(delta)) return false;
    if (!scanner.passes(delta, plain)) return false;
    amount.pass(delta);
    this.#streamed = true;
    if (this.announcesText) this.#options.onText();
    if (this.touched) this.#kept.add(delta);
    else this.#kept.addUnchanged(delta);
    return true;
  }

  /** Whether the text has begun and nothing is held back. */
  get isRunning(): boolean {
    return this.#begun && !this.ended && !this.announcesText && this.#held.isEmpty;
  }

  /** Ends the text. `whole` is the text that the server says it had, which counts if there were no deltas. */
  end(whole: string): void {
    if (this.ended) return;
    this.ended = true;
    const { scanner, amount } = this.#options;
    if (!this.#streamed && !amount.add(whole)) return;
    for (const segment of this.#streamed ? [] : scanner.push(whole)) this.#take(segment);
    for (const segment of scanner.end()) this.#take(segment);
    if (!this.#streamed) this.#told = whole;
    this.#compare();
  }

  /** Compares the output with the whole text of a part without deltas, once all of it is decided. */
  #compare(): void {
    if (this.#told === undefined || this.#paused !== undefined) return;
    const kept = this.#kept.whole;
    if (kept !== undefined && this.#blank + kept !== this.#told) this.touched = true;
    this.#told = undefined;
  }

  /** Releases the rest after the end. `drop`: without the white space at the beginning. */
  settle(drop: boolean): void {
    const text = drop ? '' : this.#blank;
    this.#blank = '';
    this.#begun = true;
    this.#emit(text);
    if (!this.#held.isEmpty) this.touch();
  }

  /** Notes that something was removed from the text. */
  touch(): void {
    if (this.touched) return;
    this.touched = true;
    for (const frame of this.#held.giveUp()) this.#options.output.push(frame);
  }

  /** Emits plain text. */
  send(text: string): void {
    this.#blank += text;
    if (!this.#begun && isBlank(text)) return;
    this.#begun = true;
    const whole = this.#blank;
    this.#blank = '';
    this.#options.onText();
    this.#emit(whole);
  }

  /** Notes a text that goes out next to the text that came. */
  insert(text: string): void {
    this.touch();
    this.#kept.add(text);
  }

  /** Makes all segments wait until a segment is decided. */
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

  /** Returns the text that went out, given the server's own whole text. */
  wholeFrom(original: string): string {
    return this.touched ? this.#kept.wholeFrom(original) : original;
  }

  /** Text that went out; undefined if it was too long to be kept. */
  get whole(): string | undefined {
    return this.#kept.whole;
  }

  #take(segment: Segment): void {
    if (this.#paused !== undefined) this.#paused.push(segment);
    else if (segment.type === this.#options.plain) this.send(segment.text);
    else this.#options.onOther(segment, this);
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
