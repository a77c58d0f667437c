import type { Frame, FrameReader, StreamRepair } from '../../base/wire.ts';

/*
 * A fast path for running text: frames that only continue the text of an answer are recognised without being parsed, and
 * passed on many at a time. All of it is optional. A framing, a repair or a wire that knows nothing of it works the same.
 */

/** A frame that may be known to be running text. */
export interface RunningFrame extends Frame {
  /** The text, of a frame that continues the text of the answer and says nothing else that the frame before it did not say. */
  readonly text?: string;
  /** The frames that this one stands for, as they came, where it stands for several that came together. */
  readonly stream?: string;
}

/** A reader whose `push` can be done in two steps, so that a run of frames can be consumed between them. */
export interface TextRunReader extends FrameReader {
  /** The first step of `push`. Returns the text of the bytes, without a last character that is not whole yet. */
  textOf(bytes: Uint8Array): string;
  /** The second step of `push`. Returns the frames of a text. */
  framesOf(text: string): readonly Frame[];
  /** The text behind each frame. */
  readonly separator: string;
  /** Whether the next text begins a frame. */
  readonly isBetween: boolean;
}

/** Reports whether a reader can be used in two steps. */
export function readsTextRuns(reader: FrameReader): reader is TextRunReader {
  return 'textOf' in reader;
}

/** A repair that may recognise running text. */
export interface TextRunRepair extends StreamRepair {
  /**
   * Consumes all frames at the beginning of an event stream's text that are running text and need no repair. Returns
   * undefined where there are none.
   */
  run?(text: string): TextRun | undefined;
}

/** Frames that were consumed together. */
export interface TextRun {
  /** Stands for all of them. */
  readonly frame: RunningFrame;
  /** Where the frames end in the text. */
  readonly end: number;
  /** Number of the frames. */
  readonly count: number;
}
