import type { CredentialsFile } from '../../base/credentials-file.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';
import type { Fetch } from '../connect/bounded-fetch.ts';
import { faultOf } from '../connect/fault-of.ts';
import { loadSdk } from '../connect/load-sdk.ts';
import { signInWith } from './create-sign-in.ts';
import { type OpenBrowser, type SignInContext, timedFetch } from './sign-in-context.ts';
import { readChallenge } from './signed-fetch.ts';
import { readCredentials, updateCredentials } from './stored-credentials.ts';

export interface McpSignInOptions {
  readonly config: McpHttpServer;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly credentials: CredentialsFile;
  readonly browser: OpenBrowser;
  readonly fetch?: Fetch;
}

/**
 * Signs a user in at a server, whether or not there is a token already. Tokens of before stay until there are new ones.
 * Throws `McpFault`.
 */
export async function signInToServer(options: McpSignInOptions): Promise<void> {
  const sdk = await loadSdk();
  const { config } = options;
  const context: SignInContext = { ...options, sdk, fetch: options.fetch ?? globalThis.fetch };
  try {
    const challenge = await askForChallenge(context);
    const named = config.oauth.scopes?.join(' ');
    const wanted = { scope: named ?? challenge?.scope, resourceMetadataUrl: challenge?.resourceMetadataUrl };
    // The server may have moved to another authorization server, which a sign-in by hand accepts.
    await signInWith(context, wanted, { isNew: true });
  } catch (error) {
    throw error instanceof McpFault ? error : failedFault(config.name, faultOf(sdk, config.name, error), error);
  }
}

/** Forgets the credentials of a server. Returns whether there were any. */
export async function signOutOfServer(credentials: CredentialsFile, config: McpHttpServer): Promise<boolean> {
  if ((await readCredentials(credentials, config)) === undefined) return false;
  await updateCredentials(credentials, config, async () => undefined);
  return true;
}

/** Sends a request without a token. Most servers name their scopes, and where their metadata is, in the refusal. */
async function askForChallenge({ sdk, config, fetch }: SignInContext) {
  const response = await timedFetch(fetch)(config.url, {
    method: 'POST',
    headers: { ...config.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  return readChallenge(sdk, response);
}

function failedFault(server: string, fault: McpFault, error: unknown): McpFault {
  if (fault.kind !== 'sign_in') return fault;
  const words = error instanceof Error ? error.message : String(error);
  return new McpFault('sign_in', `The sign-in at the MCP server "${server}" failed: ${words}`);
}
