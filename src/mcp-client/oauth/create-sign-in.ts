import { signInFault } from '../connect/fault-of.ts';
import { refreshToken } from './refresh-token.ts';
import { signInByBrowser } from './sign-in-by-browser.ts';
import type { Challenge, SignInContext } from './sign-in-context.ts';
import { readCredentials, updateCredentials } from './stored-credentials.ts';

/** Tokens of a server, for the requests of a connection. */
export interface SignIn {
  /** Returns the token to send, refreshed before it expires, or undefined if there is none. */
  token(): Promise<string | undefined>;
  /**
   * Gets another token after the server refused the one that was sent. Returns false if another one would not help.
   * Throws `McpFault` if a user has to sign in and there is none.
   */
  renew(challenge: Challenge, used: string | undefined): Promise<boolean>;
}

/** Time before the end of a token at which it is refreshed. */
const EARLY_MS = 60_000;

export function createSignIn(context: SignInContext): SignIn {
  const { sdk, config, credentials, browser } = context;
  /** Questions to the user so far. The same scopes, or another token for the same one, are not asked for again. */
  const asked = new Set<string>();
  let running: Promise<boolean> | undefined;
  const askUser = async ({ scope, isScope, resourceMetadataUrl }: Challenge, used: string | undefined) => {
    if (browser === undefined) throw signInFault(config.name);
    const before = await readCredentials(credentials, config);
    const known = isScope ? before?.scopes.join(' ') : undefined;
    const named = config.oauth.scopes?.join(' ');
    const wanted = isScope ? sdk.computeScopeUnion(named, known, scope) : (named ?? scope);
    const question = isScope ? `scopes ${wanted}` : `token ${used}`;
    if (asked.has(question)) return false;
    asked.add(question);
    await signInWith(context, { scope: wanted, resourceMetadataUrl });
    return true;
  };
  const renew = async (challenge: Challenge, used: string | undefined) => {
    const renewed = challenge.isScope
      ? undefined
      : await refreshToken(context, used ?? null, challenge.resourceMetadataUrl);
    if (renewed?.accessToken && renewed.accessToken !== used) return true;
    return await askUser(challenge, used);
  };
  return {
    async token() {
      const stored = await readCredentials(credentials, config);
      if (!stored?.accessToken) return undefined;
      if (stored.expiresAt === null || stored.expiresAt - Date.now() > EARLY_MS) return stored.accessToken;
      // A token that cannot be refreshed now may still be accepted, and is renewed if not.
      const fresh = await refreshToken(context, stored.accessToken).catch(() => stored);
      return fresh?.accessToken ?? undefined;
    },
    async renew(challenge, used) {
      running ??= renew(challenge, used).finally(() => {
        running = undefined;
      });
      return await running;
    },
  };
}

/** Lets the user sign in, and keeps the credentials. `isNew`: nothing of an earlier sign-in is used. */
export async function signInWith(
  context: SignInContext,
  challenge: Pick<Challenge, 'scope' | 'resourceMetadataUrl'>,
  { isNew = false } = {},
): Promise<void> {
  const { credentials, config } = context;
  if (context.browser === undefined) throw signInFault(config.name);
  const before = isNew ? undefined : await readCredentials(credentials, config);
  const browser = await context.browser();
  try {
    const after = await signInByBrowser(context, { ...challenge, browser, before });
    await updateCredentials(credentials, config, async () => after);
  } finally {
    await browser.close();
  }
}
