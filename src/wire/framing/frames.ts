import type { Frame } from '../../base/wire.ts';

/** Returns a frame made of a value. Its text is written when it is first read: a decoder reads only the value. */
export function madeFrame(json: unknown, event?: string): Frame {
  return new MadeFrame(json, event);
}

/** Returns the value of a frame's data; undefined if the data is not a JSON object. */
export function frameValue(frame: Frame): unknown {
  if (frame.json !== undefined) return frame.json;
  // End marks are not JSON. Throwing and catching an error would take longer than the rest of a short response.
  if (!frame.data.startsWith('{') && !frame.data.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(frame.data);
  } catch {
    return undefined;
  }
}

/** Returns the frame with its parsed value, so that the data is not parsed again. */
export function withValue(frame: Frame, json: unknown): Frame {
  if (frame.json === json) return frame;
  const { event, data } = frame;
  return event === undefined ? { data, json } : { event, data, json };
}

class MadeFrame implements Frame {
  readonly json: unknown;
  declare readonly event?: string;
  #data: string | undefined;

  constructor(json: unknown, event?: string) {
    this.json = json;
    if (event !== undefined) this.event = event;
  }

  get data(): string {
    this.#data ??= JSON.stringify(this.json);
    return this.#data;
  }
}
