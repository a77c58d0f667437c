import type { Event } from '../../base/event.ts';

/** Prints the header of a run before its events. */
interface Header {
  show(event: Event): void;
  /** Begins when the thread is open. `write` gets the model that is used if it is not the one that was named. */
  begin(run: { readonly json: boolean; readonly inputLines: boolean }, write: (model?: string) => void): void;
  /** Prints what is held back. */
  end(): void;
}

/**
 * Returns a header that waits for the first turn, with the events before it: it is only then known whether a server on
 * this machine gets its own model. Input in lines may come much later, so nothing waits for it.
 */
export function createHeader(show: (event: Event) => void): Header {
  let waiting: Event[] | null = [];
  let write: (model?: string) => void = () => {};
  const end = () => {
    const events = waiting ?? [];
    if (waiting) write(events.flatMap((event) => (event.type === 'warning' && event.model) || []).at(-1));
    waiting = null;
    events.forEach(show);
  };
  return {
    show(event) {
      if (waiting && event.type !== 'turn.started') waiting.push(event);
      else {
        end();
        show(event);
      }
    },
    begin({ json, inputLines }, print) {
      if (!json) write = print;
      if (json || inputLines) end();
    },
    end,
  };
}
