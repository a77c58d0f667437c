import type { AgentOptions } from '../app/agent-options.ts';
import type { ServedParts } from './create-server.ts';
import type { SessionLimits } from './http/http-sessions.ts';
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
  /** Time for the answer to a question that a call returned. Default: 10 minutes. */
  readonly answerMs?: number;
  /** Limits on the sessions of clients over HTTP. */
  readonly sessions?: SessionLimits;
  /** Ends the server when it aborts. */
  readonly stop: AbortSignal;
  /** Called with errors that belong to no call, and with bugs. */
  onError(error: unknown): void;
}

/** Runs the server until its client has gone or `stop` aborts. Nothing that it started is left then. */
export async function startMcpServer(options: StartMcpServerOptions): Promise<void> {
  const { agent, version, serve, answerMs, sessions, stop, onError } = options;
  const threads = createLoadedThreads(agent);
  const waiting = createWaitingCalls(answerMs);
  const parts: ServedParts = { threads, waiting, version, onError };
  try {
    await ('port' in serve ? serveOverHttp(parts, { ...serve, sessions }, stop) : serveOverStdio(parts, serve, stop));
  } finally {
    waiting.close();
    await threads.close();
  }
}
