import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame, withValue } from '../../wire/framing/frames.ts';

/** A frame with the event that it holds. */
export interface EventFrame extends Frame {
  readonly json: Fields;
}

/** A frame as it came, with its event beside it. */
export function eventFrame(frame: Frame, event: Fields): EventFrame {
  return (frame.json === event ? frame : withValue(frame, event)) as EventFrame;
}

/** A frame that was made for an event. */
export function madeEventFrame(event: Fields, name: string | undefined = String(event.type)): EventFrame {
  return madeFrame(event, name) as EventFrame;
}
