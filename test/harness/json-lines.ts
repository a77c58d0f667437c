import { isRecord } from '../../src/base/json-schema.ts';

/** A line of `exec --json`. Only `type` was checked. */
export interface JsonEvent {
  readonly type: string;
  readonly item?: { readonly id: string; readonly type: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** A reader of JSON lines that lets callers wait for one. */
export interface JsonLines {
  readonly events: readonly JsonEvent[];
  push(text: string): void;
  onEvent(listener: (event: JsonEvent) => void): void;
  waitFor(fits: (event: JsonEvent) => boolean): Promise<JsonEvent>;
  /** Returns the first line that was not an event. */
  fault(): string | undefined;
  /** Returns the last line, while it is incomplete. */
  rest(): string;
  /** Ends the lines, for this reason. */
  close(why: string): void;
}

export function createJsonLines(): JsonLines {
  const events: JsonEvent[] = [];
  const listeners: ((event: JsonEvent) => void)[] = [];
  const closers: ((why: string) => void)[] = [];
  let pending = '';
  let fault: string | undefined;
  let closed: string | undefined;

  const read = (line: string) => {
    const event = parse(line);
    if (event === undefined) {
      fault ??= line;
      return;
    }
    events.push(event);
    for (const listener of listeners) listener(event);
  };
  const onEvent = (listener: (event: JsonEvent) => void) => {
    listeners.push(listener);
    for (const event of events) listener(event);
  };
  return {
    events,
    onEvent,
    push(text) {
      const lines = (pending + text).split('\n');
      pending = lines.pop() ?? '';
      for (const line of lines) read(line);
    },
    waitFor(fits) {
      const promise = new Promise<JsonEvent>((resolve, reject) => {
        onEvent((event) => fits(event) && resolve(event));
        const fail = (why: string) => reject(new Error(`The event did not come: ${why}`));
        if (closed === undefined) closers.push(fail);
        else fail(closed);
      });
      promise.catch(() => {});
      return promise;
    },
    fault: () => fault,
    rest: () => pending,
    close(why) {
      closed = why;
      for (const closer of closers) closer(why);
    },
  };
}

function parse(line: string): JsonEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value.type === 'string' ? { ...value, type: value.type } : undefined;
  } catch {
    return undefined;
  }
}
