import type { Frame } from '../../base/wire.ts';

/** Queue of the frames that go out. A frame that may still change keeps its place, and all frames after it wait. */
export interface FrameQueue {
  put(frame: Frame): void;
  /** Queues a frame that goes out only if no other frame goes out before it. */
  lead(frame: Frame): void;
  /** Reserves a place for a frame that is not decided yet. */
  hold(): QueuePlace;
  /** Fills a reserved place, with a frame or with nothing. */
  settle(place: QueuePlace, frame: Frame | undefined): void;
  /**
   * Runs a step that queues the parts of a frame. If the parts go out unchanged, the whole frame goes out in their
   * place.
   */
  together(whole: Frame, parts: readonly Frame[], step: () => void): void;
  /** Returns the number of frames that wait. */
  waiting(): number;
  /** Removes and returns the frames that may go out. */
  take(): readonly Frame[];
}

export interface QueuePlace {
  frame: Frame | undefined;
  open: boolean;
  readonly leads?: true;
}

/** Parts of one frame. */
interface Group {
  readonly whole: Frame;
  readonly parts: readonly Frame[];
  readonly entries: Entry[];
  /** Whether more parts may come. */
  open: boolean;
}

type Entry = QueuePlace | Group;

export function createFrameQueue(): FrameQueue {
  let ready: Frame[] = [];
  const line: Entry[] = [];
  /** The line, or the group that is being filled. */
  let tail = line;
  /** Whether a frame has gone out. */
  let isUsed = false;

  const give = (frames: readonly Frame[]) => {
    ready.push(...frames);
    isUsed ||= frames.length > 0;
  };
  const drain = () => {
    const stop = line.findIndex(isOpen);
    const free = line.splice(0, stop < 0 ? line.length : stop);
    give(framesOf(free, isUsed));
  };

  return {
    put(frame) {
      if (line.length === 0) {
        ready.push(frame);
        isUsed = true;
      } else tail.push({ frame, open: false });
    },
    lead(frame) {
      if (line.length > 0) tail.push({ frame, open: false, leads: true });
      else if (!isUsed) give([frame]);
    },
    hold() {
      const place = { frame: undefined, open: true };
      tail.push(place);
      return place;
    },
    settle(place, frame) {
      place.frame = frame;
      place.open = false;
      drain();
    },
    together(whole, parts, step) {
      const group: Group = { whole, parts, entries: [], open: true };
      const outer = tail;
      outer.push(group);
      tail = group.entries;
      step();
      tail = outer;
      group.open = false;
      drain();
    },
    waiting: () => line.length,
    take() {
      const frames = ready;
      if (frames.length > 0) ready = [];
      return frames;
    },
  };
}

function isOpen(entry: Entry): boolean {
  return entry.open || ('entries' in entry && entry.entries.some(isOpen));
}

/** Returns the frames of decided entries. `isUsed`: other frames went out before them. */
function framesOf(entries: readonly Entry[], isUsed: boolean): readonly Frame[] {
  const frames: Frame[] = [];
  for (const entry of entries) {
    const isFirst = !isUsed && frames.length === 0;
    if ('entries' in entry) frames.push(...framesOfGroup(entry, !isFirst));
    else if (entry.frame !== undefined && (isFirst || entry.leads !== true)) frames.push(entry.frame);
  }
  return frames;
}

function framesOfGroup({ whole, parts, entries }: Group, isUsed: boolean): readonly Frame[] {
  const frames = framesOf(entries, isUsed);
  const isSame = frames.length === parts.length && frames.every((frame, n) => frame === parts[n]);
  return isSame ? [whole] : frames;
}
