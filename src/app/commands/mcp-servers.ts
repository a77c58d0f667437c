import type { McpConnection } from '../../base/mcp-connection.ts';
import type { McpHttpServer, McpServerConfig } from '../../base/mcp-server-config.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { listenForCallback } from '../../mcp-client/oauth/listen-for-callback.ts';
import { signInToServer, signOutOfServer } from '../../mcp-client/oauth/sign-in-to-server.ts';
import { readCredentials } from '../../mcp-client/oauth/stored-credentials.ts';
import { createHttpFetch } from '../../model/http-fetch.ts';
import { openCredentialsFile } from '../../store/files/credentials-file.ts';
import { openKnownWires } from '../../store/files/known-wires.ts';
import { serverParts } from '../servers.ts';
import { connectMcp, USER_AGENT } from '../thread/open-mcp.ts';

/** Connects to one server, without an agent. Throws `McpFault`. */
export async function connectToServer(
  config: Config,
  server: McpServerConfig,
  signal: AbortSignal,
): Promise<McpConnection> {
  const { http, close } = serverParts(undefined, config);
  try {
    const parts = { world: realWorld(), knownWires: openKnownWires(config.home), http };
    const connection = await connectMcp(config, server, { signal, onToolsChanged() {}, onLog() {} }, parts);
    return {
      ...connection,
      async close() {
        await connection.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface UserSignIn {
  /** Scopes to ask for instead of those of the configuration. */
  readonly scopes?: readonly string[];
  readonly signal: AbortSignal;
  /** Shows the address at which the user signs in. */
  show(url: URL): void;
  /** Waits for the user to type the address that the browser was sent back to. Absent: only the browser can come back. */
  typed?(url: URL): Promise<URLSearchParams>;
}

/** Signs the user in at a server and keeps the tokens in the home. Throws `McpFault`. */
export async function signInTo(config: Config, server: McpHttpServer, user: UserSignIn): Promise<void> {
  const { scopes = server.oauth.scopes, signal, show, typed } = user;
  const { oauthCallbackPort: port, oauthCallbackUrl: url } = config.tools.mcp;
  const { http, close } = serverParts(undefined, config);
  await signInToServer({
    fetch: createHttpFetch(http, USER_AGENT),
    config: { ...server, oauth: { ...server.oauth, scopes } },
    env: config.env,
    credentials: openCredentialsFile(config.home),
    async browser() {
      const listener = await listenForCallback({
        port: port ?? 0,
        ...(url === null ? {} : { url }),
        open: show,
        signal,
      });
      if (typed === undefined) return listener;
      const authorize = (address: URL) => Promise.race([listener.authorize(address), typed(address)]);
      return { ...listener, authorize };
    },
  }).finally(close);
}

/** Forgets the tokens of a server. Returns whether there were any. */
export function signOutOf(config: Config, server: McpHttpServer): Promise<boolean> {
  return signOutOfServer(openCredentialsFile(config.home), server);
}

/** Returns whether there is a sign-in at a server. `expired`: the token has ended and cannot be refreshed. */
export async function signInState(config: Config, server: McpHttpServer): Promise<'none' | 'there' | 'expired'> {
  const stored = await readCredentials(openCredentialsFile(config.home), server);
  if (!stored?.accessToken) return 'none';
  const hasEnded = stored.expiresAt !== null && stored.expiresAt <= Date.now();
  return hasEnded && stored.refreshToken === null ? 'expired' : 'there';
}
