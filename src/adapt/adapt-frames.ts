import { isRecord } from '../base/json-schema.ts';
import type { Frame } from '../base/wire.ts';
import { frameValue, madeFrame, withValue } from '../wire/framing/frames.ts';
import type { AdaptRules, Rename } from './adapt-rules.ts';

/**
 * Maps the names of calls in a response back to those of the request it answers. Names must come whole, so it stands
 * behind the repair. A frame without a name that was mapped keeps its bytes.
 */
export function restoreNames(rules: AdaptRules, restoreName: Rename): (frame: Frame) => Frame {
  return (frame) => {
    // A frame that somebody made writes its text only when it is asked for.
    if (frame.json === undefined && !frame.data.includes('"name"')) return frame;
    const value = frameValue(frame);
    if (!isRecord(value)) return frame;
    const restored = rules.renameAnswer(value, restoreName);
    if (restored !== value) return madeFrame(restored, frame.event);
    return frame.json === undefined ? withValue(frame, value) : frame;
  };
}
