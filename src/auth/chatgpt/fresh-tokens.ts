import { ModelError, UserError } from '../../base/errors.ts';
import { type AuthFile, authModeOf, type StoredTokens } from '../auth-file.ts';
import { type AuthPlace, type AuthStore, openAuthStore } from '../auth-store.ts';
import { type AuthServer, errorIn, post, refusalText, type WholeAnswer } from './auth-server.ts';
import { type ChatGptIdentity, identityOf } from './claims.ts';
import { requireWorkspace } from './forced-sign-in.ts';
import { endOf, isDue } from './is-due.ts';
import { beginJournal, lostAnswer, type RefreshAnswer, removeJournal } from './refresh-journal.ts';

/** The token that requests carry, and the account that it is for. */
export interface ChatGptTokens extends ChatGptIdentity {
  readonly accessToken: string;
}

export interface FreshTokensOptions extends AuthPlace, AuthServer {
  /** The access token that a server refused with status 401, if one did. A newer one on disk is used without a request. */
  readonly refused?: string | undefined;
  /** Days after which tokens that do not say when they expire are refreshed. */
  readonly refreshAfterDays?: number;
  /** Ids of the only workspaces that may be used. Absent: any. */
  readonly forcedWorkspaces?: readonly string[] | null;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/**
 * Returns tokens of a ChatGPT sign-in that last for a request, and refreshes them first if they are due or were
 * refused. One process at a time refreshes; the others wait and use its tokens. Throws `ModelError` (auth) with a
 * sentence that says to sign in if there are none or they cannot be refreshed, and (unreachable) if it cannot be reached.
 */
export async function freshTokens(options: FreshTokensOptions): Promise<ChatGptTokens> {
  try {
    const store = openAuthStore(options);
    const signedIn = await readSignIn(store);
    requireWorkspace(signedIn.tokens, options.forcedWorkspaces);
    if (!mustRefresh(signedIn, options)) return describe(signedIn.tokens);
    return describe((await store.locked(() => refreshed(store, options))).tokens);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, remedy } = error;
    const code = error.code === 'unavailable' ? 'unreachable' : 'auth';
    throw new ModelError(code, message, { retryable: code === 'unreachable', cause: error, ...(remedy && { remedy }) });
  }
}

/** A ChatGPT sign-in that has tokens. */
type SignedIn = AuthFile & { readonly tokens: StoredTokens };

async function readSignIn(store: AuthStore): Promise<SignedIn> {
  const stored = await store.read();
  const tokens = stored?.auth.tokens;
  if (stored && tokens && authModeOf(stored.auth) === 'chatgpt') return { ...stored.auth, tokens };
  const text = `There is no sign-in with ChatGPT in ${stored?.where ?? store.path}.`;
  throw new UserError('not_found', text, { remedy: remedyFor(store) });
}

function mustRefresh(auth: SignedIn, { refused, refreshAfterDays = 8, now }: FreshTokensOptions): boolean {
  return auth.tokens.access_token === refused || isDue(auth, { now: now(), refreshAfterDays });
}

/** Returns the sign-in as the last process left it, refreshed if that is still needed. Only called with the lock. */
async function refreshed(store: AuthStore, options: FreshTokensOptions): Promise<SignedIn> {
  const before = await readSignIn(store);
  const lost = lostAnswer(store.path, before.tokens.refresh_token);
  const auth = lost === undefined ? before : await keep(store, before, lost, options);
  removeJournal(store.path);
  if (!mustRefresh(auth, options)) return auth;
  try {
    return await refresh(store, auth, options);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // Codex shares the file but not the lock, and may have spent the token first.
    const now = await readSignIn(store);
    if (now.tokens.refresh_token !== auth.tokens.refresh_token && !mustRefresh(now, options)) return now;
    if (isUsable(auth, error, options)) return auth;
    throw error;
  }
}

async function refresh(store: AuthStore, auth: SignedIn, options: FreshTokensOptions): Promise<SignedIn> {
  const { refresh_token } = auth.tokens;
  const journal = beginJournal(store.path, refresh_token);
  const body = { client_id: options.clientId, grant_type: 'refresh_token', refresh_token };
  let failure: unknown;
  try {
    // Not stopped with the turn: the old token may be spent already.
    const answer = await post(options, '/oauth/token', body, { onBytes: journal.add });
    failure = refusal(store, answer, options.issuer);
  } catch (error) {
    failure = error;
  } finally {
    journal.close();
  }
  // Also after a failure: the connection may break when the last byte has come.
  const fields = lostAnswer(store.path, refresh_token);
  const next = fields && (await keep(store, auth, fields, options));
  removeJournal(store.path);
  if (next === undefined) throw failure;
  return next;
}

/** Stores the tokens of an answer. A token that the answer lacks stays as it was. */
async function keep(
  store: AuthStore,
  { tokens, ...auth }: SignedIn,
  answer: RefreshAnswer,
  { now }: FreshTokensOptions,
): Promise<SignedIn> {
  const last_refresh = new Date(now()).toISOString();
  const next: SignedIn = { ...auth, tokens: { ...tokens, ...answer }, last_refresh };
  await store.write(next);
  return next;
}

/** Sentences about tokens that can no longer be refreshed, by the code of the server. */
const FINAL: Readonly<Record<string, string>> = {
  refresh_token_expired: 'The sign-in with ChatGPT has expired',
  refresh_token_reused: 'The sign-in with ChatGPT was refreshed elsewhere, and its token here is spent',
  refresh_token_invalidated: 'The sign-in with ChatGPT was ended, by signing out or by a new password',
  invalid_grant: 'The sign-in with ChatGPT is no longer valid',
};

function refusal(store: AuthStore, answer: WholeAnswer, issuer: string): UserError {
  const final = FINAL[errorIn(answer).code ?? ''] ?? (answer.status === 401 ? FINAL.invalid_grant : undefined);
  if (final === undefined)
    return new UserError('unavailable', `${issuer} did not refresh the sign-in: ${refusalText(answer)} Try again.`);
  return new UserError('invalid_input', `${final}. Sign in again.`, { remedy: remedyFor(store) });
}

/** Reports whether a token that could not be refreshed ahead of time still lasts for a request. */
function isUsable(auth: SignedIn, error: UserError, { refused, now }: FreshTokensOptions): boolean {
  if (auth.tokens.access_token === refused) return false;
  const end = endOf(auth);
  return end === undefined ? error.code === 'unavailable' : now() < end.at;
}

function remedyFor({ account }: AuthStore) {
  return { type: 'sign_in', ...(account === 'default' ? {} : { account }) } as const;
}

function describe(tokens: StoredTokens): ChatGptTokens {
  return { accessToken: tokens.access_token, ...identityOf(tokens) };
}
