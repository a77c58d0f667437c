import type { Frame } from '../base/wire.ts';

/** A frame that a repair made. Its text is written when somebody asks for it: a decoder reads the value. */
export function madeFrame(json: unknown, event?: string): Frame {
  return new MadeFrame(json, event);
}

/** The value of a frame's data; undefined where it is no JSON. */
export function frameValue(frame: Frame): unknown {
  if (frame.json !== undefined) return frame.json;
  // To throw and catch an error takes longer than all the rest of a short response.
  if (frame.data === END_MARK) return undefined;
  try {
    return JSON.parse(frame.data);
  } catch {
    return undefined;
  }
}

/** What many streams end with; it is no JSON. */
const END_MARK = '[DONE]';

/** The frame with its value beside it, so that nobody has to parse it again. */
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
