import { createHash, randomBytes } from 'node:crypto';
import { UserError } from '../../base/errors.ts';
import type { AuthFile } from '../auth-file.ts';
import { type AuthServer, errorIn, post, refusalText } from './auth-server.ts';
import { claimsOf, identityOf } from './claims.ts';

/** A code that a person's sign-in has earned, and the proof that it was this program that asked for it. */
export interface EarnedCode {
  readonly code: string;
  readonly verifier: string;
  /** Address that the code was sent to. */
  readonly redirectUrl: string;
}

/** A secret for one sign-in, and its hash, which the server gets first (PKCE). */
export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function createProof(): Proof {
  const verifier = randomBytes(64).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Exchanges a code for tokens. Returns the new contents of auth.json. Throws `UserError`. */
export async function exchangeCode(
  server: AuthServer,
  { code, verifier, redirectUrl }: EarnedCode,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<AuthFile> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUrl,
    client_id: server.clientId,
    code_verifier: verifier,
  });
  const answer = await post(server, '/oauth/token', form, { signal });
  const { id_token, access_token, refresh_token } = answer.fields;
  if (answer.status !== 200) {
    const isOld = errorIn(answer).code === 'invalid_grant';
    const why = isOld ? 'the code has expired or was used before' : refusalText(answer).replace(/\.$/, '');
    throw new UserError('unavailable', `${server.issuer} gave no tokens: ${why}. Sign in again.`);
  }
  if (typeof id_token !== 'string' || typeof access_token !== 'string' || typeof refresh_token !== 'string')
    throw new UserError('unavailable', `${server.issuer} answered without all tokens. Sign in again.`);
  // Codex cannot read a file with another text in this place.
  if (Object.keys(claimsOf(id_token)).length === 0)
    throw new UserError('unavailable', `${server.issuer} answered with an id token that cannot be read.`);
  const tokens = { id_token, access_token, refresh_token };
  const account_id = identityOf(tokens).accountId ?? null;
  const last_refresh = new Date(now).toISOString();
  return { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens: { ...tokens, account_id }, last_refresh };
}
