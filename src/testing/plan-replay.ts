import { type CassetteHeaders, END_ERRORS, type RecordedExchange } from '../cassette/cassette.ts';
import type { Delivery, Head } from './plan-delivery.ts';
import type { ReplyStep } from './reply-wire.ts';

/**
 * Headers of the recorded connection. The new connection has its own, and removed secrets may have changed the length.
 */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Plans the actions on the connection that repeat a recorded exchange. */
export function planReplay(exchange: RecordedExchange, speed: 'instant' | 'recorded'): Delivery {
  const { response, error } = exchange;
  return {
    head: response && { status: response.status, headers: replayHeaders(response.headers) },
    steps: stepsOf(exchange, speed),
    ending: endingOf(error, response !== null),
  };
}

function replayHeaders(headers: CassetteHeaders): Head['headers'] {
  const kept = Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(kept.map(([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')]));
}

function stepsOf({ response, chunks, ms }: RecordedExchange, speed: 'instant' | 'recorded'): ReplyStep[] {
  const steps: ReplyStep[] = [];
  let reached = 0;
  const waitUntil = (time: number) => {
    if (speed === 'recorded' && time > reached) steps.push({ kind: 'pause', ms: time - reached });
    reached = Math.max(reached, time);
  };
  for (const chunk of chunks) {
    waitUntil(chunk.ms);
    // HTTP has no empty pieces. A secret that was removed across a boundary leaves them.
    if (chunk.bytes.length > 0) steps.push({ kind: 'frame', bytes: Buffer.from(chunk.bytes) });
  }
  if (response !== null) waitUntil(ms);
  return steps;
}

function endingOf(error: string | null, answered: boolean): Delivery['ending'] {
  if (error === null) return 'finish';
  if (error === END_ERRORS.idle) return 'hang';
  return answered ? 'close' : 'reset';
}
