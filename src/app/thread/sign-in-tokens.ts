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
  const { issuer, clientId, refreshAfterDays } = config.auth;
  const place = await authPlace(config);
  return freshTokens({ ...place, issuer, clientId, refreshAfterDays, send: authSend(http), now, refused });
}
