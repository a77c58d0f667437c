import type { AgentOptions } from '../app/agent-options.ts';
import type { ServedParts } from './create-server.ts';
import { type McpHttpOptions, serveOverHttp } from './http/serve-http.ts';
import { createLoadedThreads } from './loaded-threads.ts';
import { type ClientPipes, serveOverStdio } from './serve-stdio.ts';
import { createWaitingCalls } from './waiting-calls.ts';

export interface StartMcpServerOptions {
  /** Options of every agent. The parameters of a call beat them. */
  readonly agent: AgentOptions;
  readonly version: string;
  /** The client, or the address for clients. */
  readonly serve: ClientPipes | McpHttpOptions;
  /** Ends the server when it aborts. */
  readonly stop: AbortSignal;
  /** Called with errors that belong to no call, and with bugs. */
  onError(error: unknown): void;
}

/** Runs the server until its client has gone or `stop` aborts. Nothing that it started is left then. */
export async function startMcpServer({ agent, version, serve, stop, onError }: StartMcpServerOptions): Promise<void> {
  const threads = createLoadedThreads(agent);
  const waiting = createWaitingCalls();
  const parts: ServedParts = { threads, waiting, version, onError };
  try {
    await ('port' in serve ? serveOverHttp(parts, serve, stop) : serveOverStdio(parts, serve, stop));
  } finally {
    waiting.close();
    await threads.close();
  }
}
