import { createHash } from 'node:crypto';
import type { CredentialsEntry, CredentialsFile } from '../../base/credentials-file.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';

/** Credentials of a sign-in at a server. Without an access token they are only those of the client. */
export interface McpCredentials {
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Way in which the client shows its secret, as the authorization server registered it. */
  readonly authMethod: string | null;
  /** Address that the client was registered with. */
  readonly redirectUrl: string | null;
  /** Authorization server that gave all of this. It is shown to no other one. */
  readonly issuer: string | null;
  readonly accessToken: string | null;
  readonly refreshToken: string | null;
  /** Time in ms since 1970, or null if the server named none. */
  readonly expiresAt: number | null;
  readonly scopes: readonly string[];
}

type Server = Pick<McpHttpServer, 'name' | 'url'>;

/** Returns the credentials of a server. */
export async function readCredentials(file: CredentialsFile, server: Server): Promise<McpCredentials | undefined> {
  const [, entry] = await findEntry(file, server);
  return entry && fromEntry(entry);
}

/** Replaces the credentials of a server while no other process does. Undefined removes them. Returns the new ones. */
export async function updateCredentials(
  file: CredentialsFile,
  server: Server,
  change: (before: McpCredentials | undefined) => Promise<McpCredentials | undefined>,
): Promise<McpCredentials | undefined> {
  const [name] = await findEntry(file, server);
  const entry = await file.update(name, async (before) => {
    const after = await change(before && fromEntry(before));
    return after && { ...before, ...toEntry(server, after) };
  });
  return entry && fromEntry(entry);
}

async function findEntry(file: CredentialsFile, server: Server): Promise<[string, CredentialsEntry | undefined]> {
  const isOf = (entry: CredentialsEntry) => entry.server_name === server.name && entry.server_url === server.url;
  const found = Object.entries(await file.read()).find(([, entry]) => isOf(entry));
  return found ?? [nameOf(server), undefined];
}

/** Returns the name of an entry, as Codex builds it. */
function nameOf({ name, url }: Server): string {
  const text = JSON.stringify({ type: 'http', url, headers: {} });
  return `${name}|${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Returns an entry as Codex reads it. The fields below `scopes` are ours, and Codex ignores them. */
function toEntry({ name, url }: Server, credentials: McpCredentials): CredentialsEntry {
  return {
    server_name: name,
    server_url: url,
    client_id: credentials.clientId,
    access_token: credentials.accessToken ?? '',
    expires_at: credentials.expiresAt,
    refresh_token: credentials.refreshToken,
    scopes: credentials.scopes,
    issuer: credentials.issuer,
    client_secret: credentials.clientSecret,
    token_endpoint_auth_method: credentials.authMethod,
    redirect_uri: credentials.redirectUrl,
  };
}

function fromEntry(entry: CredentialsEntry): McpCredentials {
  const text = (name: string) => {
    const value = entry[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const { expires_at: expiresAt, scopes } = entry;
  return {
    clientId: text('client_id') ?? '',
    clientSecret: text('client_secret'),
    authMethod: text('token_endpoint_auth_method'),
    redirectUrl: text('redirect_uri'),
    issuer: text('issuer'),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    expiresAt: typeof expiresAt === 'number' ? expiresAt : null,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  };
}
