import { UserError } from '../../base/errors.ts';
import { type AuthFile, authModeOf } from '../auth-file.ts';
import { type AuthServer, post, refusalText } from './auth-server.ts';

const TIMEOUT_MS = 10_000;

/** Tells the server that the tokens of a sign-in are no longer used. A key has no tokens. Throws `UserError`. */
export async function revokeTokens(server: AuthServer, auth: AuthFile): Promise<void> {
  if (authModeOf(auth) !== 'chatgpt' || !auth.tokens) return;
  const { refresh_token, access_token } = auth.tokens;
  const body: Record<string, string> =
    refresh_token === ''
      ? { token: access_token, token_type_hint: 'access_token' }
      : { token: refresh_token, token_type_hint: 'refresh_token', client_id: server.clientId };
  const answer = await post(server, '/oauth/revoke', body, { timeoutMs: TIMEOUT_MS });
  if (answer.status >= 300)
    throw new UserError('unavailable', `${server.issuer} did not end the sign-in: ${refusalText(answer)}`);
}
