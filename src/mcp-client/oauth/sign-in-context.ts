import type { CredentialsFile } from '../../base/credentials-file.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';
import type { Fetch } from '../connect/bounded-fetch.ts';
import type { Sdk } from '../connect/load-sdk.ts';

/** Everything that a sign-in at a server needs. */
export interface SignInContext {
  readonly sdk: Sdk;
  readonly config: McpHttpServer;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly credentials: CredentialsFile;
  /** Sends the requests to the authorization server. */
  readonly fetch: Fetch;
  /** Opens a browser for the user. Absent if there is no user. */
  readonly browser?: OpenBrowser | undefined;
}

/** Prepares a browser in which a user signs in. */
export type OpenBrowser = () => Promise<SignInBrowser>;

/** A browser in which a user signs in. */
export interface SignInBrowser {
  /** Address that the browser is sent back to. */
  readonly redirectUrl: string;
  /** Shows an address to the user. Returns the parameters with which the browser came back. Throws `McpFault`. */
  authorize(url: URL): Promise<URLSearchParams>;
  close(): Promise<void>;
}

/** A demand of a server for a token, or for one with more scopes. */
export interface Challenge {
  readonly isScope: boolean;
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
}

/** Time that a request to an authorization server may take. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Returns a fetch whose requests end in time. */
export function timedFetch(fetch: Fetch): Fetch {
  return async (url, init) => await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}

/** Returns the client that the configuration names, with its secret, or undefined. Throws `McpFault`. */
export function configuredClient({ config: { name, oauth }, env }: SignInContext) {
  const { clientId, clientSecretEnvVar: variable } = oauth;
  if (clientId === null || isClientUrl(clientId)) return undefined;
  if (variable === null) return { client_id: clientId };
  const secret = env[variable]?.trim();
  if (secret) return { client_id: clientId, client_secret: secret };
  const text = `The MCP server "${name}" needs the environment variable ${variable} for the secret of its client. Set it.`;
  throw new McpFault('start', text);
}

/** Reports whether the id of a client is the address of a document about it, instead of a registration. */
export function isClientUrl(clientId: string): boolean {
  return URL.canParse(clientId) && new URL(clientId).protocol === 'https:' && new URL(clientId).pathname !== '/';
}
