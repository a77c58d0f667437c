import { ModelError } from '../base/errors.ts';
import type { HttpResponse, HttpSender } from '../model/http.ts';

/** Bounds of all requests of a probe. */
export interface ProbeBounds {
  readonly maxRequests: number;
  /** Most bytes of one answer. */
  readonly maxBytes: number;
}

/** A client that counts its requests and notes the last answer. */
export interface BoundedHttp extends HttpSender {
  readonly sent: number;
  /** The last answer as far as it was read. */
  readonly last: { readonly status: number; readonly chunks: readonly Uint8Array[] } | undefined;
  /** Forgets the last answer. */
  begin(): void;
}

/** Returns a client that sends no more requests and reads no more bytes than the bounds allow. */
export function boundedHttp(http: HttpSender, { maxRequests, maxBytes }: ProbeBounds): BoundedHttp {
  let sent = 0;
  let last: { readonly status: number; readonly chunks: Uint8Array[] } | undefined;
  return {
    get sent() {
      return sent;
    },
    get last() {
      return last;
    },
    begin() {
      last = undefined;
    },
    async send(url, options) {
      if (sent >= maxRequests) throw new ModelError('aborted', `All ${maxRequests} requests of the probe were used.`);
      sent++;
      const response = await http.send(url, { ...options, unjoined: true });
      const note = { status: response.status, chunks: [] };
      last = note;
      return bounded(response, maxBytes, note.chunks);
    },
  };
}

function bounded(response: HttpResponse, maxBytes: number, chunks: Uint8Array[]): HttpResponse {
  let size = 0;
  return {
    status: response.status,
    headers: response.headers,
    async read(idleTimeoutMs) {
      const bytes = await response.read(idleTimeoutMs);
      if (bytes === null) return null;
      size += bytes.byteLength;
      if (size > maxBytes) {
        response.close();
        throw new ModelError('invalid_response', `The answer to a small question was longer than ${maxBytes} bytes.`);
      }
      chunks.push(bytes);
      return bytes;
    },
    release: () => response.release(),
    close: () => response.close(),
  };
}
