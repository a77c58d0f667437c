import { chooseAccount, chosenAccount, DEFAULT_ACCOUNT, namedAccounts } from '../../auth/accounts.ts';
import { authModeOf } from '../../auth/auth-file.ts';
import { openAuthStore, type StoredAuth } from '../../auth/auth-store.ts';
import { type ChatGptIdentity, identityOf } from '../../auth/chatgpt/claims.ts';
import { endOf } from '../../auth/chatgpt/is-due.ts';
import { UserError } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { authPlace } from '../thread/auth-place.ts';
import { configuredProvider } from '../thread/choose-model.ts';
import { keySource } from './key-source.ts';
import type { OnNotice } from './sign-in.ts';

/** A sign-in as people see it, without its secrets. */
export type ShownSignIn =
  | { readonly kind: 'none' }
  | { readonly kind: 'key'; readonly where: string }
  /** `endsAt` is the end of the access token, in milliseconds since 1970. A refresh comes before it. */
  | ({ readonly kind: 'chatgpt'; readonly where: string; readonly endsAt: number | undefined } & ChatGptIdentity)
  /** A sign-in that only Codex knows. */
  | { readonly kind: 'other'; readonly where: string; readonly mode: string }
  | { readonly kind: 'damaged'; readonly why: string };

export interface ShownAccount {
  readonly name: string;
  /** Whether it is used where no other is named. */
  readonly isChosen: boolean;
  readonly signIn: ShownSignIn;
}

/** Returns the default account and those with a name, each with its sign-in. */
export async function listAccounts(config: Config, onNotice: OnNotice): Promise<ShownAccount[]> {
  const chosen = config.account ?? chosenAccount(config.home);
  const names = new Set([DEFAULT_ACCOUNT, ...namedAccounts(config.home)]);
  return Promise.all(
    [...names].map(async (name) => ({
      name,
      isChosen: name === chosen,
      signIn: await signInOf({ ...config, account: name }, onNotice),
    })),
  );
}

/** Chooses the account that is used where no other is named. Throws `UserError` if there is no such account. */
export function useAccount({ home }: Config, name: string): void {
  requireAccount(home, name);
  chooseAccount(home, name);
}

/** Forgets an account that was signed out. The default one is chosen if this one was. */
export function forgetAccount({ home }: Config, name: string): void {
  if (chosenAccount(home) === name) chooseAccount(home, DEFAULT_ACCOUNT);
}

/** Throws `UserError` if there is no account of this name. */
export function requireAccount(home: string, name: string): void {
  const names = namedAccounts(home);
  if (name === DEFAULT_ACCOUNT || names.includes(name)) return;
  const known = [DEFAULT_ACCOUNT, ...names].join(', ');
  throw new UserError('not_found', `There is no account "${name}". There are: ${known}.`, {
    remedy: { type: 'sign_in', account: name },
  });
}

/** The credentials that requests to the configured provider carry. */
export interface CredentialsStatus {
  readonly account: string;
  readonly provider: string;
  readonly credentials:
    | ShownSignIn
    | { readonly kind: 'not needed' }
    | { readonly kind: 'variable'; readonly where: string };
}

/** Returns the credentials that win, in the order in which a request looks for them. */
export async function credentialsStatus(config: Config, onNotice: OnNotice): Promise<CredentialsStatus> {
  const provider = configuredProvider(config);
  const account = config.account ?? chosenAccount(config.home);
  const status = (credentials: CredentialsStatus['credentials']) => ({ account, provider: provider.name, credentials });
  const signIn = await signInOf(config, onNotice);
  const key = keySource(provider, config);
  if (key.kind === 'not needed') return status(key);
  const path = 'where' in signIn ? signIn.where : undefined;
  // A sign-in beats only the last variable in the order.
  const isBeaten = key.kind === 'found' && key.where !== path && !(provider.openaiAuth && key.where === LAST_VARIABLE);
  if (provider.openaiAuth && signIn.kind !== 'none' && signIn.kind !== 'other' && !isBeaten) return status(signIn);
  return status(key.kind === 'found' ? { kind: 'variable', where: key.where } : { kind: 'none' });
}

const LAST_VARIABLE = 'OPENAI_API_KEY';

async function signInOf(config: Config, onNotice: OnNotice): Promise<ShownSignIn> {
  let stored: StoredAuth | undefined;
  try {
    stored = await openAuthStore(await authPlace(config, onNotice)).read();
  } catch (error) {
    if (error instanceof UserError && error.code === 'damaged') return { kind: 'damaged', why: error.message };
    throw error;
  }
  if (stored === undefined) return { kind: 'none' };
  const { auth, where } = stored;
  const { tokens } = auth;
  switch (authModeOf(auth)) {
    case 'apikey':
      return auth.OPENAI_API_KEY ? { kind: 'key', where } : { kind: 'none' };
    case 'chatgpt':
      return tokens ? { kind: 'chatgpt', where, endsAt: endOf(auth)?.at, ...identityOf(tokens) } : { kind: 'none' };
    case 'other':
      return { kind: 'other', where, mode: String(auth.auth_mode) };
  }
}
