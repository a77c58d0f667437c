import type { Frame, Framing } from '../../base/wire.ts';
import { readsTextRuns, type TextRunReader, type TextRunRepair } from '../../wire/framing/text-runs.ts';

/** The bytes of a server, cut anywhere, as repaired frames with the names that tools have in the request. */
export interface RepairedFrames {
  /** Each frame is taken before the next one is repaired: the first must not wait for those that came with it. */
  push(bytes: Uint8Array, take: (frame: Frame) => void): void;
  /** The first step of `push`, for callers that stop between two frames: the frames as they came. */
  read(bytes: Uint8Array): readonly Frame[];
  /** The second step of `push`. */
  repair(frame: Frame, take: (frame: Frame) => void): void;
  /** Takes the frames that the end of the connection leaves. */
  end(take: (frame: Frame) => void): void;
}

export interface RepairedFramesOptions {
  readonly framing: Framing;
  /** Without it frames pass as they came. */
  readonly repair: TextRunRepair | undefined;
  /** Maps the names of tools in a frame back to those of the request. */
  readonly restore: ((frame: Frame) => Frame) | undefined;
  /** Sees the frames before and after the repair. */
  readonly watch?: FrameWatch | undefined;
  /** Returns the frame as the client may have it; undefined where it may not have it. */
  readonly keep?: ((frame: Frame) => Frame | undefined) | undefined;
}

export interface FrameWatch {
  came(frame: Frame): void;
  repaired(frame: Frame): void;
}

export function createRepairedFrames(options: RepairedFramesOptions): RepairedFrames {
  const { framing, repair, restore, watch, keep } = options;
  const reader = framing.createReader();
  const pass = (next: Frame, take: (frame: Frame) => void): void => {
    const frame = restore ? restore(next) : next;
    watch?.repaired(frame);
    const kept = keep ? keep(frame) : frame;
    if (kept !== undefined) take(kept);
  };
  const repairOne = (frame: Frame, take: (frame: Frame) => void): void => {
    watch?.came(frame);
    if (repair === undefined) pass(frame, take);
    else for (const next of repair.push(frame)) pass(next, take);
  };
  const repairAll = (frames: readonly Frame[], take: (frame: Frame) => void): void => {
    for (const frame of frames) repairOne(frame, take);
  };
  // Code that looks at each frame must see each.
  const takeRun = watch === undefined && keep === undefined && restore === undefined ? repair?.run : undefined;
  const pushRuns = (runReader: TextRunReader, bytes: Uint8Array, take: (frame: Frame) => void): void => {
    let text = runReader.textOf(bytes);
    for (let tries = MAX_TRIES; tries > 0 && text !== ''; tries--) {
      const run = runReader.isBetween ? takeRun?.(text) : undefined;
      if (run !== undefined) take(run.frame);
      const from = run?.end ?? 0;
      const to = endOfFrames(text, from, runReader.separator);
      if (to > from) repairAll(runReader.framesOf(text.slice(from, to)), take);
      text = text.slice(to);
    }
    if (text !== '') repairAll(runReader.framesOf(text), take);
  };
  const runReader = takeRun !== undefined && readsTextRuns(reader) ? reader : undefined;
  return {
    push(bytes, take) {
      if (runReader === undefined) repairAll(reader.push(bytes), take);
      else pushRuns(runReader, bytes, take);
    },
    read: (bytes) => reader.push(bytes),
    repair: repairOne,
    end(take) {
      repairAll(reader.end(), take);
      if (repair !== undefined) for (const next of repair.end()) pass(next, take);
    },
  };
}

/** How often, in one read, running text is looked for behind frames that are none. */
const MAX_TRIES = 3;
/** The number of frames that are looked at one by one before: the first words of an answer are among the first three. */
const FRAMES_A_TRY = 3;

/** Returns where the next few frames end in a text; its end where there are no more. */
function endOfFrames(text: string, from: number, separator: string): number {
  let end = from;
  for (let n = 0; n < FRAMES_A_TRY; n++) {
    const next = text.indexOf(separator, end);
    if (next < 0) return text.length;
    end = next + separator.length;
  }
  return end;
}
