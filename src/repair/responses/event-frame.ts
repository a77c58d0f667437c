import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame, withValue } from '../../wire/framing/frames.ts';

/** Frame with its event. */
export interface EventFrame extends Frame {
  readonly json: Fields;
}

/** Returns a frame as it came, with its event. */
export function eventFrame(frame: Frame, event: Fields): EventFrame {
  return (frame.json === event ? frame : withValue(frame, event)) as EventFrame;
}

/** Makes a frame for an event. */
export function madeEventFrame(event: Fields, name: string | undefined = String(event.type)): EventFrame {
  return madeFrame(event, name) as EventFrame;
}
