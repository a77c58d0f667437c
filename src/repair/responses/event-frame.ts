import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame, withValue } from '../../wire/framing/frames.ts';

/** A frame with the event that it holds. */
export interface Arrival extends Frame {
  readonly json: Fields;
}

/** A frame as it came, with its event beside it. */
export function arrivalOf(frame: Frame, event: Fields): Arrival {
  return (frame.json === event ? frame : withValue(frame, event)) as Arrival;
}

/** A frame that was made for an event. */
export function madeArrival(event: Fields, name: string | undefined = String(event.type)): Arrival {
  return madeFrame(event, name) as Arrival;
}
