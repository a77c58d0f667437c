import type { ModelRequest } from '../base/model.ts';
import type { Frame } from '../base/wire.ts';
import { restoreNames } from '../wire/adapt/adapt-frames.ts';
import { createFrameReader } from '../wire/frame-reader.ts';
import { findWire } from '../wire/index.ts';
import { type RepairOptions, repairStream } from '../wire/repair/repair-stream.ts';
import type { Upstream } from './open-upstream.ts';
import { understoodRequest } from './prepare-request.ts';
import type { QuirkWatch } from './quirk-case.ts';

/** The bytes of a server, cut anywhere, as mended frames with the names that the client knows. */
export interface MendedFrames {
  push(bytes: Uint8Array): readonly Frame[];
  /** What the end of the connection leaves to say. */
  end(): readonly Frame[];
}

export interface MendedFramesOptions extends Pick<RepairOptions, 'memory' | 'onRepair'> {
  readonly upstream: Pick<Upstream, 'wire' | 'prepared' | 'compat'>;
  readonly request: ModelRequest;
  /** Sees what came and what it became. */
  readonly watch?: QuirkWatch | undefined;
  /** The frame as the client may have it, if it may. */
  readonly keep?: ((frame: Frame) => Frame | undefined) | undefined;
}

export function createMendedFrames(options: MendedFramesOptions): MendedFrames {
  const { upstream, request, memory, onRepair, watch, keep } = options;
  const { wire, prepared, compat } = upstream;
  const { restoreName } = prepared;
  // The repair looks for tools by the names that were sent.
  const sent = restoreName === undefined ? request : understoodRequest(findWire(wire), prepared.sent());
  const reader = createFrameReader();
  const repair = repairStream(wire, { request: sent, compat, memory, onRepair });
  const restore = restoreName && restoreNames(wire, restoreName);
  const take = (next: Frame, mended: Frame[]): void => {
    const frame = restore ? restore(next) : next;
    watch?.mended(frame);
    const kept = keep ? keep(frame) : frame;
    if (kept !== undefined) mended.push(kept);
  };
  const mend = (frames: readonly Frame[]): Frame[] => {
    const mended: Frame[] = [];
    for (const frame of frames) {
      watch?.came(frame);
      for (const next of repair.push(frame)) take(next, mended);
    }
    return mended;
  };
  return {
    push: (bytes) => mend(reader.push(bytes)),
    end() {
      const mended = mend(reader.end());
      for (const next of repair.end()) take(next, mended);
      return mended;
    },
  };
}
