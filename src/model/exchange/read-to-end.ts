import { ModelError } from '../../base/errors.ts';
import type { HttpResponse } from '../http.ts';

/**
 * Returns a function that reads a response like its `read`, except that a response is over soon after its model stopped.
 * Some servers then send pings for ever, or nothing and no end. On chat more of the answer may follow, which lifts the
 * limit.
 */
export function readToEnd(response: HttpResponse, frames: { isStopped(): boolean }): HttpResponse['read'] {
  let end: number | undefined;
  return (idleTimeoutMs) => {
    if (!frames.isStopped()) {
      end = undefined;
      return response.read(idleTimeoutMs);
    }
    end ??= performance.now() + END_WAIT_MS;
    return readUntil(end, response, idleTimeoutMs);
  };
}

/** The events after the stop reason are made of nothing but counts: they come at once or not at all. */
const END_WAIT_MS = 2000;

async function readUntil(end: number, response: HttpResponse, idleTimeoutMs: number): Promise<Uint8Array | null> {
  const leftMs = end - performance.now();
  if (leftMs <= 0) return null;
  try {
    return await response.read(Math.min(leftMs, idleTimeoutMs));
  } catch (error) {
    if (error instanceof ModelError && error.code === 'idle_timeout') return null;
    throw error;
  }
}
