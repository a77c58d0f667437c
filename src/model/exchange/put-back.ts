import type { HttpResponse } from '../http.ts';

/** Returns a response whose first bytes, already read to detect its type, are read again. */
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
