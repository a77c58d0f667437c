import { isCall } from '../../base/item.ts';
import type { StreamedEvent } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { Frame, Framing, StreamDecoder, StreamRepair } from '../../base/wire.ts';
import { createRepairedFrames } from './repaired-frames.ts';

/** Turns the bytes of one response, cut anywhere, into events. */
export interface ResponseReader {
  /** Returns events in batches. A finished call ends a batch, so that the call can run before the rest is read. */
  push(bytes: Uint8Array): Iterable<readonly StreamedEvent[]>;
  /** Returns the events of the orderly end of the connection. */
  end(): readonly StreamedEvent[];
  /**
   * Returns the last events of a response whose connection broke. There are none unless the response had announced its
   * end.
   */
  abandon(): readonly StreamedEvent[];
  /** Reports whether the model has stopped, so that only the end of the response is missing. */
  isStopped(): boolean;
}

export interface ResponseReaderOptions {
  readonly framing: Framing;
  readonly decoder: StreamDecoder;
  /** Opens the repair of the frames. The repair reports to the function that it is opened with. */
  readonly openRepair?: ((onRepair: (repair: Repair) => void) => StreamRepair) | undefined;
  /** Restores the tools' own names in repaired frames. */
  readonly restore?: ((frame: Frame) => Frame) | undefined;
  /** Called when a frame begins calls, with the number of the frame and the number of calls. */
  readonly onCalls?: ((frame: number, calls: number) => void) | undefined;
}

export function createResponseReader(options: ResponseReaderOptions): ResponseReader {
  const { framing, decoder, openRepair, restore, onCalls } = options;
  let events: StreamedEvent[] = [];
  const repair = openRepair?.((repair) => events.push({ type: 'repair', repair }));
  const frames = createRepairedFrames({ framing, repair, restore });
  let count = 0;

  const decode = (frame: Frame): void => {
    for (const event of decoder.push(frame)) events.push(event);
  };

  const take = (frame: Frame): void => {
    const before = events.length;
    count++;
    frames.repair(frame, decode);
    if (onCalls === undefined || events.length === before) return;
    let calls = 0;
    for (let n = before; n < events.length; n++) if (isStartOfCall(events[n])) calls++;
    if (calls > 0) onCalls(count, calls);
  };

  const finish = (): readonly StreamedEvent[] => {
    events = [];
    frames.end(decode);
    for (const event of decoder.end()) events.push(event);
    return events;
  };

  return {
    *push(bytes) {
      events = [];
      for (const frame of frames.read(bytes)) {
        take(frame);
        // The server may go on without end.
        if (frames.isGivenUp()) {
          yield [...events, ...decoder.end()];
          return;
        }
        if (!events.some(isFinishedCall)) continue;
        yield events;
        events = [];
      }
      if (events.length > 0) yield events;
    },
    end: finish,
    abandon() {
      const last = finish();
      // The failure of the connection itself says more.
      return last.some(isCutOff) ? [] : last;
    },
    isStopped: () => frames.isStopped(),
  };
}

function isStartOfCall(event: StreamedEvent | undefined): boolean {
  return event?.type === 'item.started' && event.item.type.endsWith('_call') && event.item.name !== undefined;
}

function isFinishedCall(event: StreamedEvent): boolean {
  return event.type === 'item.done' && isCall(event.item);
}

function isCutOff(event: StreamedEvent): boolean {
  return event.type === 'failed' && event.code === 'stream_closed';
}
