import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { EdgeWire } from '../../wire/edge/edge-wire.ts';
import { frameValue, madeFrame } from '../../wire/framing/frames.ts';

/**
 * Returns a function that leaves out all calls of one response but the first, for clients that take no more. It returns
 * undefined for a frame of which nothing is left; `onDrop` is called the first time that something was left out.
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
