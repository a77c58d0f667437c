import { isRecord } from '../base/json-schema.ts';
import type { Frame } from '../base/wire.ts';
import { frameValue, madeFrame, withValue } from '../wire/framing/frames.ts';
import type { AdaptRules, Rename } from './adapt-rules.ts';

/**
 * Returns a function that maps the names of calls in a response back to those of its request. Names must come whole, so
 * the function runs after the repair. A frame without a mapped name keeps its bytes.
 */
export function restoreNames(rules: AdaptRules, restoreName: Rename): (frame: Frame) => Frame {
  return (frame) => {
    // Reading the data of a made frame would write its text, which is written only on demand.
    if (frame.json === undefined && !frame.data.includes('"name"')) return frame;
    const value = frameValue(frame);
    if (!isRecord(value)) return frame;
    const restored = rules.renameAnswer(value, restoreName);
    if (restored !== value) return madeFrame(restored, frame.event);
    return frame.json === undefined ? withValue(frame, value) : frame;
  };
}
