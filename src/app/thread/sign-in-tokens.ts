import { openAuthStore } from '../../auth/auth-store.ts';
import { freshTokens } from '../../auth/chatgpt/fresh-tokens.ts';
import type { RequestTokens } from '../../auth/credentials.ts';
import type { Config } from '../../config/load-config.ts';
import type { HttpSender } from '../../model/http.ts';
import { authPlace, authSend } from './auth-place.ts';

interface SignInOptions {
  readonly config: Config;
  readonly http: HttpSender;
  readonly now: () => number;
  /** The token that the server has refused. */
  readonly refused: string | undefined;
}

/** Returns tokens of the ChatGPT sign-in that a configuration chooses, refreshed where needed. */
export async function signInTokens({ config, http, now, refused }: SignInOptions): Promise<RequestTokens> {
  const { issuer, clientId, refreshAfterDays, forcedWorkspaces } = config.auth;
  const place = await authPlace(config);
  const server = { issuer, clientId, send: authSend(http) };
  return freshTokens({ ...place, ...server, refreshAfterDays, forcedWorkspaces, now, refused });
}

/** Returns the key that a configuration keeps in the keyring, if it is there. */
export async function keyInKeyring(config: Config): Promise<string | undefined> {
  const stored = await openAuthStore(await authPlace(config)).read();
  return stored?.auth.OPENAI_API_KEY ?? undefined;
}
