import type { Frame } from '../../base/wire.ts';

/** Returns a frame that a repair made. Its text is written when it is first read: a decoder reads the value. */
export function madeFrame(json: unknown, event?: string): Frame {
  return new MadeFrame(json, event);
}

/** Returns the value of a frame's data; undefined where it is not a JSON object. */
export function frameValue(frame: Frame): unknown {
  if (frame.json !== undefined) return frame.json;
  // Marks at the end of streams: to throw and catch an error takes longer than all the rest of a short response.
  if (!frame.data.startsWith('{') && !frame.data.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(frame.data);
  } catch {
    return undefined;
  }
}

/** Returns the frame with its value, so that it is not parsed again. */
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
