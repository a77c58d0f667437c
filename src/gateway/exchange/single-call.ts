import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { EdgeWire } from '../../wire/edge/edge-wire.ts';
import { frameValue, madeFrame } from '../../wire/framing/frames.ts';

/**
 * Returns a function that drops all calls of one response but the first, for clients that accept no more. The function
 * returns undefined for a frame that is empty then. `onDrop` is called once, with the first call that is dropped.
 */
export function firstCallOnly(edge: EdgeWire, onDrop: () => void): (frame: Frame) => Frame | undefined {
  const keep = edge.firstCallOnly();
  let dropped = false;
  return (frame) => {
    const value = frameValue(frame);
    if (!isRecord(value)) return frame;
    const kept = keep(value);
    if (kept === value) return frame;
    if (!dropped) onDrop();
    dropped = true;
    return kept === undefined ? undefined : madeFrame(kept, frame.event);
  };
}
