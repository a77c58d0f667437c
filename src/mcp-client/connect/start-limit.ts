import { McpFault } from '../../base/mcp-fault.ts';
import type { McpServerSettings } from '../../base/mcp-server-config.ts';

/** The time that the start of a server may take. */
export interface StartLimit {
  /** Aborts with the fault when the time is up, or when the caller gives up. */
  readonly signal: AbortSignal;
  stop(): void;
}

export function createStartLimit(
  { name, startupTimeoutMs }: Pick<McpServerSettings, 'name' | 'startupTimeoutMs'>,
  given: AbortSignal,
): StartLimit {
  const ended = new AbortController();
  const text = `The MCP server "${name}" did not answer within ${startupTimeoutMs / 1000} s.`;
  const late = new McpFault('start', `${text} If it needs longer, set startup_timeout_sec to more.`);
  const timer = setTimeout(() => ended.abort(late), startupTimeoutMs);
  const cancel = () => ended.abort(new McpFault('cancelled', `The start of the MCP server "${name}" was cancelled.`));
  given.addEventListener('abort', cancel);
  if (given.aborted) cancel();
  return {
    signal: ended.signal,
    stop() {
      clearTimeout(timer);
      given.removeEventListener('abort', cancel);
    },
  };
}

/** Waits for work until a signal aborts. Rejects then with the reason of the signal. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  // The work may fail after the signal, when its error is of no interest.
  work.catch(() => {});
  return await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
