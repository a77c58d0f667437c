import { isCall } from '../../base/item.ts';
import type { StreamedEvent } from '../../base/model.ts';
import type { Repair } from '../../base/repair.ts';
import type { Frame, FrameReader, StreamDecoder, StreamRepair } from '../../base/wire.ts';

/** Turns the bytes of one response, cut anywhere, into events. */
export interface ResponseReader {
  /** In parts, each up to a finished call: that can run before the rest is looked at. */
  push(bytes: Uint8Array): Iterable<readonly StreamedEvent[]>;
  /** What the orderly end of the connection says. */
  end(): readonly StreamedEvent[];
  /** What the response had already said of its end when its connection broke. */
  abandon(): readonly StreamedEvent[];
}

export interface ResponseReaderOptions {
  readonly frames: FrameReader;
  readonly decoder: StreamDecoder;
  /** Mends the frames before they are decoded; hands what it did to the function it is opened with. */
  readonly openRepair?: ((onRepair: (repair: Repair) => void) => StreamRepair) | undefined;
  /** Gives mended frames the names of tools that the request had before it was sent. */
  readonly restore?: ((frame: Frame) => Frame) | undefined;
  /** A frame brought the beginning of so many calls. */
  readonly onCalls?: ((frame: number, calls: number) => void) | undefined;
}

export function createResponseReader(options: ResponseReaderOptions): ResponseReader {
  const { frames, decoder, openRepair, restore, onCalls } = options;
  let events: StreamedEvent[] = [];
  const repair = openRepair?.((repair) => events.push({ type: 'repair', repair }));
  let count = 0;

  const decode = (mended: readonly Frame[]): void => {
    for (const frame of mended) {
      for (const event of decoder.push(restore === undefined ? frame : restore(frame))) events.push(event);
    }
  };

  const take = (frame: Frame): void => {
    const before = events.length;
    count++;
    decode(repair === undefined ? [frame] : repair.push(frame));
    if (onCalls === undefined || events.length === before) return;
    const calls = events.slice(before).filter(isStartOfCall).length;
    if (calls > 0) onCalls(count, calls);
  };

  const during = (step: () => void): readonly StreamedEvent[] => {
    events = [];
    step();
    return events;
  };

  const finish = (): void => {
    for (const frame of frames.end()) take(frame);
    if (repair !== undefined) decode(repair.end());
    for (const event of decoder.end()) events.push(event);
  };

  return {
    *push(bytes) {
      events = [];
      for (const frame of frames.push(bytes)) {
        take(frame);
        if (!events.some(isFinishedCall)) continue;
        yield events;
        events = [];
      }
      if (events.length > 0) yield events;
    },
    end: () => during(finish),
    abandon() {
      const last = during(finish);
      // The failure of the connection itself says more.
      return last.some(isCutOff) ? [] : last;
    },
  };
}

function isStartOfCall(event: StreamedEvent): boolean {
  return event.type === 'item.started' && event.item.type.endsWith('_call') && event.item.name !== undefined;
}

function isFinishedCall(event: StreamedEvent): boolean {
  return event.type === 'item.done' && isCall(event.item);
}

function isCutOff(event: StreamedEvent): boolean {
  return event.type === 'failed' && event.code === 'stream_closed';
}
