import { ModelError } from '../base/errors.ts';
import type { ModelRequest, StreamedEvent } from '../base/model.ts';
import { failureError } from '../model/errors.ts';
import type { OpenedExchange } from '../model/exchange/open-exchange.ts';
import { createResponseReader } from '../model/exchange/response-reader.ts';
import { repairStream } from '../repair/repair-stream.ts';
import type { Wire } from '../wire/edge/wire.ts';

/** Reads a response to its end. Returns its failure. */
export async function readEvents(
  request: ModelRequest,
  { response, wire, compat, renamed, repairMemory, redact }: OpenedExchange<Wire>,
  timeoutMs: number,
  seen: StreamedEvent[],
): Promise<ModelError | undefined> {
  const sent = renamed === undefined ? request : { ...request, tools: renamed.tools };
  const reader = createResponseReader({
    framing: wire.framing,
    decoder: wire.decodeStream(request),
    openRepair: (onRepair) => repairStream(wire.name, { request: sent, compat, memory: repairMemory, onRepair }),
    restore: renamed?.restore,
  });
  const frames = wire.framing.createReader();
  try {
    for (let isOver = false; !isOver; ) {
      // A server may leave the connection open after its last frame.
      const bytes = await response.read(seen.some(isEnd) ? AFTERWARDS_MS : timeoutMs).catch((error: unknown) => {
        if (seen.some(isEnd)) return null;
        seen.push(...reader.abandon());
        throw error;
      });
      if (bytes === null) break;
      isOver = frames.push(bytes).some((frame) => wire.edge.inspect(frame) === 'end');
      for (const events of reader.push(bytes)) seen.push(...events);
    }
    if (!seen.some(isEnd)) seen.push(...reader.end());
    response.release();
  } catch (error) {
    response.close();
    if (!seen.some(isEnd)) return error instanceof ModelError ? error : failureError({ code: null, message: '' });
  }
  const failed = seen.find((event) => event.type === 'failed');
  return failed?.type === 'failed' ? failureError({ ...failed, message: redact(failed.message) }) : undefined;
}

const AFTERWARDS_MS = 500;

/** Reports whether an event ends a response. */
export const isEnd = ({ type }: StreamedEvent) => type === 'completed' || type === 'incomplete' || type === 'failed';
