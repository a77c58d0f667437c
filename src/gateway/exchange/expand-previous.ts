import type { ResponseStore } from '../../base/response-store.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import { type ClientRequest, decodedOnce } from './read-request.ts';

/**
 * Returns the request with the thread that it continues in front of its input, so that any server can answer it. A
 * request stays as it is if it refers to no response, or to a response that only the server may know.
 */
export async function expandPrevious(asked: ClientRequest, store: ResponseStore): Promise<ClientRequest> {
  const { stored } = asked.wire.edge;
  const id = stored?.previousId(asked.body);
  const previous = id === undefined ? undefined : await store.get(id);
  if (stored === undefined || previous === undefined) return asked;
  const body = stored.expand(asked.body, previous);
  return { ...asked, body, decoded: decodedOnce(asked.wire, body) };
}

/** Throws `ClientError` when the request still refers to an earlier response: this server cannot know that response. */
export function assertExpanded({ wire, body }: ClientRequest): void {
  const id = wire.edge.stored?.previousId(body);
  if (id === undefined) return;
  throw new ClientError(`There is no response ${JSON.stringify(id)} here any more. Send its whole input instead.`, {
    status: 404,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  });
}
