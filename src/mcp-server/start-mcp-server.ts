import type { AgentOptions } from '../app/agent-options.ts';
import type { ServerParts } from './create-server.ts';
import { createLoadedThreads } from './loaded-threads.ts';
import { createWaitingCalls } from './waiting-calls.ts';

export interface McpServerOptions {
  /** Options of every agent. The parameters of a call beat them. */
  readonly agent: AgentOptions;
  readonly version: string;
  /** Ends the server when it aborts. */
  readonly stop: AbortSignal;
  /** Called with errors that belong to no call, and with bugs. */
  onError(error: unknown): void;
}

/** Runs the server until its client has gone or `stop` aborts. Nothing that it started is left then. */
export async function startMcpServer({ agent, version, stop, onError }: McpServerOptions): Promise<void> {
  const threads = createLoadedThreads(agent);
  const waiting = createWaitingCalls();
  const parts: ServerParts = { threads, waiting, version, onError };
  try {
    const { serveOverStdio } = await import('./serve-stdio.ts');
    await serveOverStdio(parts, stop);
  } finally {
    waiting.close();
    await threads.close();
  }
}
