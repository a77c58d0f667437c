import type { ModelRequest } from '../base/model.ts';
import type { Frame } from '../base/wire.ts';
import { restoreNames } from '../wire/adapt/adapt-frames.ts';
import { type RepairOptions, repairStream } from '../wire/repair/repair-stream.ts';
import type { SentRequest } from './open-upstream.ts';
import { understoodRequest } from './prepare-request.ts';
import type { QuirkWatch } from './quirk-case.ts';

/** The bytes of a server, cut anywhere, as mended frames with the names that the client knows. */
export interface MendedFrames {
  /** Each frame is taken before the next one is mended: the first must not wait for those that came with it. */
  push(bytes: Uint8Array, take: (frame: Frame) => void): void;
  /** What the end of the connection leaves to say. */
  end(take: (frame: Frame) => void): void;
}

export interface MendedFramesOptions extends Pick<RepairOptions, 'memory' | 'onRepair'> {
  readonly sent: Pick<SentRequest, 'wire' | 'prepared' | 'compat'>;
  readonly request: ModelRequest;
  /** Sees what came and what it became. */
  readonly watch?: QuirkWatch | undefined;
  /** The frame as the client may have it, if it may. */
  readonly keep?: ((frame: Frame) => Frame | undefined) | undefined;
}

export function createMendedFrames(options: MendedFramesOptions): MendedFrames {
  const { sent, request, memory, onRepair, watch, keep } = options;
  const { wire, prepared, compat } = sent;
  const { restoreName } = prepared;
  // The repair looks for tools by the names that were sent.
  const named = restoreName === undefined ? request : understoodRequest(wire, prepared.sent());
  const reader = wire.framing.createReader();
  const repair = repairStream(wire.name, { request: named, compat, memory, onRepair });
  const rules = wire.edge.adapt;
  const restore = rules && restoreName && restoreNames(rules, restoreName);
  const give = (next: Frame, take: (frame: Frame) => void): void => {
    const frame = restore ? restore(next) : next;
    watch?.mended(frame);
    const kept = keep ? keep(frame) : frame;
    if (kept !== undefined) take(kept);
  };
  const mend = (frames: readonly Frame[], take: (frame: Frame) => void): void => {
    for (const frame of frames) {
      watch?.came(frame);
      for (const next of repair.push(frame)) give(next, take);
    }
  };
  // Whoever looks at each frame must see each.
  const takeRun = watch === undefined && keep === undefined && restore === undefined ? repair.run : undefined;
  return {
    push(bytes, take) {
      let text = reader.textOf(bytes);
      for (let tries = takeRun === undefined ? 0 : MAX_TRIES; tries > 0 && text !== ''; tries--) {
        const run = reader.isBetween ? takeRun?.(text) : undefined;
        if (run !== undefined) take(run.frame);
        const from = run?.end ?? 0;
        const to = endOfFrames(text, from, wire.framing.separator);
        if (to > from) mend(reader.framesOf(text.slice(from, to)), take);
        text = text.slice(to);
      }
      if (text !== '') mend(reader.framesOf(text), take);
    },
    end(take) {
      mend(reader.end(), take);
      for (const next of repair.end()) give(next, take);
    },
  };
}

/** How often, in one read, running text is looked for behind frames that are none. */
const MAX_TRIES = 3;
/** So many frames are looked at one by one before: the first words of an answer are among the first three. */
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
