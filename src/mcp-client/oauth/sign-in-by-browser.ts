import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider, OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client';
import { cutMiddle } from '../../base/bound-text.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';
import { clientOf, tokenFields } from './refresh-token.ts';
import {
  configuredClient,
  isClientUrl,
  type SignInBrowser,
  type SignInContext,
  timedFetch,
} from './sign-in-context.ts';
import type { McpCredentials } from './stored-credentials.ts';

/** A sign-in that is wanted. */
export interface WantedSignIn {
  readonly browser: SignInBrowser;
  readonly scope: string | undefined;
  readonly resourceMetadataUrl: URL | undefined;
  /** Credentials so far. The client is registered again if they do not fit. */
  readonly before: McpCredentials | undefined;
}

/** Lets the user sign in at the authorization server of a server. Returns the credentials. Throws `McpFault`. */
export async function signInByBrowser(context: SignInContext, wanted: WantedSignIn): Promise<McpCredentials> {
  const { sdk, config } = context;
  const { browser, scope, resourceMetadataUrl } = wanted;
  const session = createSession(context, wanted);
  const options = {
    serverUrl: config.url,
    fetchFn: timedFetch(context.fetch),
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
  };
  const begun = await sdk.auth(session.provider, { ...options, forceReauthorization: true });
  if (begun === 'REDIRECT') {
    const url = session.address();
    const params = await browser.authorize(url);
    if (params.get('state') !== url.searchParams.get('state')) {
      throw new McpFault(
        'sign_in',
        `The sign-in at the MCP server "${config.name}" came back with another state, and was dropped.`,
      );
    }
    const { code, iss } = codeIn(context, params, session.discovered());
    await sdk.auth(session.provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) });
  }
  return session.credentials();
}

/** Returns the code of a sign-in. The issuer is checked before anything of the answer is shown. */
function codeIn({ sdk, config }: SignInContext, params: URLSearchParams, found: OAuthDiscoveryState | undefined) {
  const code = params.get('code');
  const iss = params.get('iss');
  if (code !== null) return { code, iss };
  const metadata = found?.authorizationServerMetadata;
  sdk.validateAuthorizationResponseIssuer({
    iss: iss ?? undefined,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const words = params.get('error_description') ?? params.get('error') ?? 'the answer has no code';
  const shown = cutMiddle(words, { unit: 'bytes', limit: 500 });
  throw new McpFault('sign_in', `The sign-in at the MCP server "${config.name}" was refused: ${shown}`);
}

interface Client {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  readonly token_endpoint_auth_method?: string | undefined;
  readonly issuer?: string | undefined;
}

/** The memory of one sign-in, which the SDK reads and writes. */
interface Memory {
  client: Client | undefined;
  found?: OAuthDiscoveryState;
  verifier?: string;
  tokens?: OAuthTokens & { issuer?: string | undefined };
  address?: URL;
}

function createSession(context: SignInContext, { browser, before }: WantedSignIn) {
  const fixed = configuredClient(context);
  const memory: Memory = { client: fixed ? boundTo(fixed, before) : registered(before, browser) };
  const provider = createProvider(context.config, browser, memory);
  // Without this method the SDK keeps the client that the configuration names.
  if (fixed) delete provider.saveClientInformation;
  return {
    provider,
    discovered: () => memory.found,
    address(): URL {
      if (memory.address === undefined) throw new Error('a sign-in without an address');
      return memory.address;
    },
    credentials(): McpCredentials {
      const { client, tokens, address } = memory;
      if (tokens === undefined || client === undefined) throw new Error('a sign-in without tokens');
      const asked = address?.searchParams.get('scope')?.split(' ') ?? [];
      return {
        clientId: client.client_id,
        // The secret of a client in the configuration stays in its variable.
        clientSecret: fixed ? null : (client.client_secret ?? null),
        authMethod: client.token_endpoint_auth_method ?? null,
        redirectUrl: browser.redirectUrl,
        issuer: tokens.issuer ?? client.issuer ?? null,
        ...tokenFields(tokens, asked),
      };
    },
  };
}

function createProvider({ oauth }: McpHttpServer, { redirectUrl }: SignInBrowser, memory: Memory): OAuthClientProvider {
  const { clientId, resource } = oauth;
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Oxbow',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    ...(clientId !== null && isClientUrl(clientId) ? { clientMetadataUrl: clientId } : {}),
    ...(resource === null ? {} : { validateResourceURL: async () => new URL(resource) }),
    state: () => randomBytes(32).toString('base64url'),
    clientInformation: () => memory.client,
    saveClientInformation(client) {
      memory.client = client;
    },
    // The user signs in anew, whatever tokens there are.
    tokens: () => undefined,
    saveTokens(tokens) {
      memory.tokens = tokens;
    },
    redirectToAuthorization(url) {
      memory.address = url;
    },
    saveCodeVerifier(verifier) {
      memory.verifier = verifier;
    },
    codeVerifier: () => memory.verifier ?? '',
    saveDiscoveryState(found) {
      memory.found = found;
    },
    discoveryState: () => memory.found,
  };
}

/** Returns the client of the configuration, which belongs to the authorization server that it was first used with. */
function boundTo(client: Client, before: McpCredentials | undefined): Client {
  const isBound = before?.clientId === client.client_id && before.issuer !== null;
  return isBound ? { ...client, issuer: before.issuer } : client;
}

/** Returns the client that was registered before, if the browser comes back to the address of that registration. */
function registered(before: McpCredentials | undefined, { redirectUrl }: SignInBrowser): Client | undefined {
  if (before === undefined || before.issuer === null || before.redirectUrl !== redirectUrl) return undefined;
  return { ...clientOf(before), issuer: before.issuer };
}
