import { messageOf } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { FinishedResponse } from '../../wire/edge/translator.ts';
import { fieldsOf } from '../../wire/fields/lenient-fields.ts';
import type { GatewayExchange } from './exchange.ts';
import type { ClientRequest } from './read-request.ts';

/**
 * Stores a whole response, before the client gets its end: a client that knows a response may refer to it. Never
 * throws, because the answer matters more than whether it could be stored.
 */
export type KeepResponse = (finished: FinishedResponse | undefined) => Promise<void>;

/** Returns a function that stores the response to a request; undefined where the client does not want it stored. */
export function keepResponseFor(
  { parts: { store }, record }: GatewayExchange,
  { wire, body }: ClientRequest,
  { input }: ModelRequest,
): KeepResponse | undefined {
  if (wire.edge.stored?.isKept(body) !== true) return undefined;
  return async (finished) => {
    if (finished === undefined) return;
    const { id, output, body: response } = finished;
    try {
      const isPassed = record.serverWire === wire.name && fieldsOf(response).store === true;
      const keptBy = isPassed && record.provider !== null ? record.provider : undefined;
      await store.put(id, { input, output, body: response, keptBy });
    } catch (error) {
      record.error ??= `The response could not be kept: ${messageOf(error)}.`;
    }
  };
}
