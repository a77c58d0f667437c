import { messageOf } from '../../base/errors.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { FinishedResponse } from '../../wire/edge/translator.ts';
import type { GatewayExchange } from './exchange.ts';
import type { ClientRequest } from './read-request.ts';

/**
 * Keeps a whole response, before the client gets its end: a client that knows the response may refer to it. Never throws: the
 * answer counts, whether or not it could be kept.
 */
export type KeepResponse = (finished: FinishedResponse | undefined) => Promise<void>;

/** Returns what keeps the response to a request; undefined where the client does not want it to be kept. */
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
      await store.put(id, { input, output, body: response });
    } catch (error) {
      record.error ??= `The response could not be kept: ${messageOf(error)}.`;
    }
  };
}
