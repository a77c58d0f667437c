import type { AgentOptions } from '../app/agent-options.ts';
import type { ServerParts } from './create-server.ts';
import type { HttpOptions } from './http/serve-http.ts';
import { createLoadedThreads } from './loaded-threads.ts';
import { createWaitingCalls } from './waiting-calls.ts';

export interface McpServerOptions {
  /** Options of every agent. The parameters of a call beat them. */
  readonly agent: AgentOptions;
  readonly version: string;
  /** Serves over HTTP. Absent: over stdin and stdout. */
  readonly http?: HttpOptions | undefined;
  /** Ends the server when it aborts. */
  readonly stop: AbortSignal;
  /** Called with errors that belong to no call, and with bugs. */
  onError(error: unknown): void;
}

/** Runs the server until its client has gone or `stop` aborts. Nothing that it started is left then. */
export async function startMcpServer(options: McpServerOptions): Promise<void> {
  const { agent, version, http, stop, onError } = options;
  const threads = createLoadedThreads(agent);
  const waiting = createWaitingCalls();
  const parts: ServerParts = { threads, waiting, version, onError };
  try {
    if (http === undefined) await (await import('./serve-stdio.ts')).serveOverStdio(parts, stop);
    else await (await import('./http/serve-http.ts')).serveOverHttp(parts, http, stop);
  } finally {
    waiting.close();
    await threads.close();
  }
}
