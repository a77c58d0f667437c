import type { CredentialsFile } from '../../base/credentials-file.ts';
import type { PipedProcess } from '../../base/environment.ts';
import type { McpServerConfig } from '../../base/mcp-server-config.ts';
import type { OpenBrowser } from '../oauth/sign-in-context.ts';

/** Everything that a connection to a server needs. */
export interface McpConnectOptions {
  readonly config: McpServerConfig;
  /** Starts the program of a server over stdio. Called again if the server ends when it is asked for its revision. */
  start(): Promise<PipedProcess>;
  /** Variables with tokens and headers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sends the requests of a server over HTTP, instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Credentials of servers that want a sign-in. Without them, such a server is a fault. */
  readonly signIn?: McpConnectSignIn;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Whether the server may ask for messages of the model. */
  readonly sampling?: boolean;
  /** Revision that the server spoke before. The server is not asked again for a newer one. */
  readonly knownRevision?: string;
  /** Receives the revision that was agreed on. */
  onRevision(revision: string): void;
  /** Returns the folders that the server may use. */
  roots(): readonly string[];
  onToolsChanged(): void;
  /** Receives lines of the server's log, and warnings about it. */
  onLog(level: string, text: string): void;
  /** Aborts the start of the connection. */
  readonly signal: AbortSignal;
}

/** Ways to a token for a server over HTTP. */
export interface McpConnectSignIn {
  readonly credentials: CredentialsFile;
  /** Opens a browser for a sign-in during the connection. Absent if there is no user. */
  readonly browser?: OpenBrowser;
}
