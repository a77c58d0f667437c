import type { Frame, Framing } from '../../base/wire.ts';
import { readsTextRuns, type TextRunReader, type TextRunRepair } from '../../wire/framing/text-runs.ts';

/** Turns the bytes of a server, cut anywhere, into repaired frames that have the tools' own names. */
export interface RepairedFrames {
  /**
   * Calls `take` with each frame before the next one is repaired: the first frame must not wait for the others of the
   * same read.
   */
  push(bytes: Uint8Array, take: (frame: Frame) => void): void;
  /** The first step of `push`, for callers that stop between two frames. Returns the frames as they came. */
  read(bytes: Uint8Array): readonly Frame[];
  /** The second step of `push`. */
  repair(frame: Frame, take: (frame: Frame) => void): void;
  /** Reports whether the response was given up because of a limit, so that nothing more of it comes. */
  isGivenUp(): boolean;
  /** Reports whether the model has stopped, so that only the end of the response is missing. */
  isStopped(): boolean;
  /** Calls `take` with the frames that are left at the end of the connection. */
  end(take: (frame: Frame) => void): void;
}

export interface RepairedFramesOptions {
  readonly framing: Framing;
  /** Without it frames pass as they came. */
  readonly repair: TextRunRepair | undefined;
  /** Restores the tools' own names in a frame. */
  readonly restore: ((frame: Frame) => Frame) | undefined;
  /** Sees the frames before and after the repair. */
  readonly watch?: FrameWatch | undefined;
  /** Returns the frame that the client gets; undefined where the client gets none. */
  readonly keep?: ((frame: Frame) => Frame | undefined) | undefined;
  readonly calls?: CallWatch | undefined;
}

/** Sees the calls of a response. Running text has none, so the watch does not keep it from passing at once. */
export interface CallWatch {
  /** Returns the number of calls that a repaired frame begins. */
  countIn(frame: Frame): number;
  /** Called when a frame has begun calls, with the number of the frame as it came, from 1. */
  begun(frame: number, calls: number): void;
}

export interface FrameWatch {
  came(frame: Frame): void;
  repaired(frame: Frame): void;
}

export function createRepairedFrames(options: RepairedFramesOptions): RepairedFrames {
  const { framing, repair, restore, watch, keep, calls } = options;
  const reader = framing.createReader();
  let number = 0;
  const pass = (next: Frame, take: (frame: Frame) => void): void => {
    const frame = restore ? restore(next) : next;
    watch?.repaired(frame);
    const count = calls?.countIn(frame) ?? 0;
    if (count > 0) calls?.begun(number, count);
    const kept = keep ? keep(frame) : frame;
    if (kept !== undefined) take(kept);
  };
  const repairOne = (frame: Frame, take: (frame: Frame) => void): void => {
    watch?.came(frame);
    number++;
    if (repair === undefined) pass(frame, take);
    else for (const next of repair.push(frame)) pass(next, take);
  };
  const repairAll = (frames: readonly Frame[], take: (frame: Frame) => void): void => {
    for (const frame of frames) repairOne(frame, take);
  };
  // Code that looks at frames must see every frame.
  const runRepair =
    watch === undefined && keep === undefined && restore === undefined && repair?.run !== undefined
      ? repair
      : undefined;
  const pushRuns = (runReader: TextRunReader, bytes: Uint8Array, take: (frame: Frame) => void): void => {
    let text = runReader.textOf(bytes);
    for (let tries = MAX_TRIES; tries > 0 && text !== ''; tries--) {
      const run = runReader.isBetween ? runRepair?.run?.(text) : undefined;
      if (run !== undefined) {
        number += run.count;
        take(run.frame);
      }
      const from = run?.end ?? 0;
      const to = endOfFrames(text, from, runReader.separator);
      if (to > from) repairAll(runReader.framesOf(text.slice(from, to)), take);
      text = text.slice(to);
    }
    if (text !== '') repairAll(runReader.framesOf(text), take);
  };
  const runReader = runRepair !== undefined && readsTextRuns(reader) ? reader : undefined;
  return {
    push(bytes, take) {
      if (runReader === undefined) repairAll(reader.push(bytes), take);
      else pushRuns(runReader, bytes, take);
    },
    read: (bytes) => reader.push(bytes),
    repair: repairOne,
    isGivenUp: () => repair?.isGivenUp?.() === true,
    isStopped: () => repair?.isStopped?.() === true,
    end(take) {
      repairAll(reader.end(), take);
      if (repair !== undefined) for (const next of repair.end()) pass(next, take);
    },
  };
}

/** Number of times that running text is looked for in one read, after other frames. */
const MAX_TRIES = 3;
/**
 * Number of frames that are read one by one before the next try. The first words of an answer are among the first
 * three.
 */
const FRAMES_A_TRY = 3;

/** Returns where the next few frames end in a text, or the end of the text where there are no more. */
function endOfFrames(text: string, from: number, separator: string): number {
  let end = from;
  for (let n = 0; n < FRAMES_A_TRY; n++) {
    const next = text.indexOf(separator, end);
    if (next < 0) return text.length;
    end = next + separator.length;
  }
  return end;
}
