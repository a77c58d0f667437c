import { UserError } from '../../base/errors.ts';
import type { StoredTokens } from '../auth-file.ts';
import { identityOf } from './claims.ts';

/** Ways of signing in, by their names in config.toml, with their names for people. */
const METHODS = { chatgpt: 'with ChatGPT', api: 'with an API key' } as const;

export type LoginMethod = keyof typeof METHODS;

/** Throws `UserError` if the configuration allows only another way of signing in. */
export function requireMethod(method: LoginMethod, forced: LoginMethod | null): void {
  if (forced === null || forced === method) return;
  const text = `Sign in ${METHODS[forced]}: forced_login_method = "${forced}" in config.toml allows nothing else.`;
  throw new UserError('invalid_config', text);
}

/** Throws `UserError` if tokens are for another workspace than the configuration allows. */
export function requireWorkspace(tokens: StoredTokens, allowed: readonly string[] | null | undefined): void {
  const { accountId } = identityOf(tokens);
  if (!allowed || (accountId !== undefined && allowed.includes(accountId))) return;
  const which = accountId === undefined ? 'names no workspace' : `is for the workspace ${accountId}`;
  const rule = `forced_chatgpt_workspace_id in config.toml allows only ${allowed.join(', ')}`;
  throw new UserError('invalid_config', `The sign-in ${which}, but ${rule}. Sign in there.`, {
    remedy: { type: 'sign_in' },
  });
}
