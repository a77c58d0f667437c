import type { HttpResponse } from '../http.ts';

/** A response of which something was read to see what it is, as if nothing had been. */
export function putBack(response: HttpResponse, chunks: readonly Uint8Array[], ended: boolean): HttpResponse {
  const held = [...chunks];
  return {
    status: response.status,
    headers: response.headers,
    read: async (idleTimeoutMs) => held.shift() ?? (ended ? null : response.read(idleTimeoutMs)),
    release: () => response.release(),
    close: () => response.close(),
  };
}
