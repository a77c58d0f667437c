import type { OAuthTokens } from '@modelcontextprotocol/client';
import { configuredClient, type SignInContext, timedFetch } from './sign-in-context.ts';
import { type McpCredentials, updateCredentials } from './stored-credentials.ts';

/**
 * Refreshes the token of a server, unless another process has done so meanwhile. Returns the credentials then, which
 * have no access token if the server refuses the refresh. Throws when the authorization server cannot be reached.
 */
export async function refreshToken(
  context: SignInContext,
  used: string | null,
  resourceMetadataUrl?: URL,
): Promise<McpCredentials | undefined> {
  const { credentials, config } = context;
  return await updateCredentials(credentials, config, async (stored) => {
    if (stored === undefined || stored.refreshToken === null || stored.accessToken !== used) return stored;
    return await refresh(context, stored, stored.refreshToken, resourceMetadataUrl);
  });
}

async function refresh(
  context: SignInContext,
  stored: McpCredentials,
  token: string,
  resourceMetadataUrl: URL | undefined,
): Promise<McpCredentials | undefined> {
  const { sdk, config } = context;
  const fetchFn = timedFetch(context.fetch);
  const about = resourceMetadataUrl === undefined ? { fetchFn } : { fetchFn, resourceMetadataUrl };
  const found = await sdk.discoverOAuthServerInfo(config.url, about);
  const { authorizationServerUrl: server, authorizationServerMetadata: metadata, resourceMetadata } = found;
  // The token belongs to the server that gave it. Another one must not see it.
  if (stored.issuer !== null && !isSame(stored.issuer, metadata?.issuer ?? server)) return withoutTokens(stored);
  const resource = config.oauth.resource ?? resourceMetadata?.resource;
  try {
    const tokens = await sdk.refreshAuthorization(server, {
      clientInformation: configuredClient(context) ?? clientOf(stored),
      refreshToken: token,
      fetchFn,
      ...(metadata === undefined ? {} : { metadata }),
      ...(resource === undefined ? {} : { resource }),
    });
    return { ...stored, ...tokenFields(tokens, stored.scopes) };
  } catch (error) {
    if (!(error instanceof sdk.OAuthError)) throw error;
    // A client that is no longer known has to be registered again.
    if (error.code === 'invalid_client' || error.code === 'unauthorized_client') return undefined;
    if (error.code === 'invalid_grant') return withoutTokens(stored);
    throw error;
  }
}

const isSame = (a: string, b: string) => a.replace(/\/$/, '') === b.replace(/\/$/, '');

const withoutTokens = (stored: McpCredentials): McpCredentials => ({
  ...stored,
  accessToken: null,
  refreshToken: null,
  expiresAt: null,
});

/** Returns a registered client as the SDK knows it. */
export function clientOf({ clientId, clientSecret, authMethod }: McpCredentials) {
  return {
    client_id: clientId,
    ...(clientSecret === null ? {} : { client_secret: clientSecret }),
    ...(authMethod === null ? {} : { token_endpoint_auth_method: authMethod }),
  };
}

/** Returns the fields of tokens that arrived now. A server that names no scopes has given those that were asked for. */
export function tokenFields(tokens: OAuthTokens, asked: readonly string[]) {
  const { access_token, refresh_token, expires_in, scope } = tokens;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1000,
    scopes: scope === undefined ? asked : scope.split(/\s+/).filter((one) => one !== ''),
  };
}
