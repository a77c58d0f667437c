import type { AuthFile } from '../../auth/auth-file.ts';
import { type AuthStore, openAuthStore } from '../../auth/auth-store.ts';
import type { AuthServer } from '../../auth/chatgpt/auth-server.ts';
import { type ChatGptIdentity, identityOf } from '../../auth/chatgpt/claims.ts';
import { requireMethod, requireWorkspace } from '../../auth/chatgpt/forced-sign-in.ts';
import { revokeTokens } from '../../auth/chatgpt/revoke-tokens.ts';
import { signInByBrowser } from '../../auth/chatgpt/sign-in-by-browser.ts';
import { type ShownCode, signInByDevice } from '../../auth/chatgpt/sign-in-by-device.ts';
import { UserError } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { serverParts } from '../servers.ts';
import { authPlace, authSend } from '../thread/auth-place.ts';

export type { ShownCode };

/** A sign-in that was stored. */
export interface KeptSignIn extends Partial<ChatGptIdentity> {
  readonly kind: 'key' | 'chatgpt';
  readonly account: string;
  /** File, or the keyring, as people know it. */
  readonly where: string;
}

/** Tells the user about something that is not an error. */
export type OnNotice = (notice: string) => void;

export interface BrowserUser {
  readonly originator: string;
  readonly signal: AbortSignal;
  readonly onNotice: OnNotice;
  /** Shows the address at which the user signs in. */
  show(url: URL): void;
}

/** Lets the user sign in with ChatGPT in a browser on this machine. Throws `UserError`. */
export async function signInWithBrowser(config: Config, user: BrowserUser): Promise<KeptSignIn> {
  requireMethod('chatgpt', config.auth.forcedLoginMethod);
  const store = openAuthStore(await authPlace(config, user.onNotice));
  const { callbackPorts, forcedWorkspaces } = config.auth;
  return withServer(config, async (server) => {
    let kept: KeptSignIn | undefined;
    await signInByBrowser({
      ...user,
      server,
      ports: callbackPorts,
      workspaces: forcedWorkspaces,
      now: Date.now,
      keep: async (auth) => {
        kept = await keep(config, store, auth, server);
      },
    });
    if (kept === undefined) throw new Error('a sign-in that was not kept');
    return kept;
  });
}

export interface DeviceUser extends Pick<BrowserUser, 'signal' | 'onNotice'> {
  /** Shows the code, and the address at which the user types it. */
  show(code: ShownCode): void;
}

/** Lets the user sign in with ChatGPT in a browser anywhere, by typing a code there. Throws `UserError`. */
export async function signInWithDevice(config: Config, { signal, show, onNotice }: DeviceUser): Promise<KeptSignIn> {
  requireMethod('chatgpt', config.auth.forcedLoginMethod);
  const store = openAuthStore(await authPlace(config, onNotice));
  const { sleep } = realWorld();
  return withServer(config, async (server) => {
    const auth = await signInByDevice({ server, signal, show, sleep, now: Date.now });
    return keep(config, store, auth, server);
  });
}

/** Stores an API key. Throws `UserError`. */
export async function signInWithKey(config: Config, key: string, onNotice: OnNotice): Promise<KeptSignIn> {
  requireMethod('api', config.auth.forcedLoginMethod);
  const store = openAuthStore(await authPlace(config, onNotice));
  const auth: AuthFile = { auth_mode: 'apikey', OPENAI_API_KEY: key };
  return withServer(config, (server) => keep(config, store, auth, server));
}

/**
 * Removes a sign-in, and ends it at the server. Returns whether there was one. A server that cannot be reached causes a
 * notice. Throws `UserError`.
 */
export async function signOut(config: Config, onNotice: OnNotice): Promise<boolean> {
  const store = openAuthStore(await authPlace(config, onNotice));
  return withServer(config, (server) =>
    store.locked(async () => {
      const before = await readBefore(store);
      if (before) await tryRevoke(server, before, (why) => onNotice(`The sign-in was removed here, but ${why}`));
      return store.remove();
    }),
  );
}

/** Stores a sign-in in place of an earlier one, which is ended. */
async function keep(config: Config, store: AuthStore, auth: AuthFile, server: AuthServer): Promise<KeptSignIn> {
  if (auth.tokens) requireWorkspace(auth.tokens, config.auth.forcedWorkspaces);
  const { account } = store;
  return store.locked(async () => {
    const before = await readBefore(store);
    const where = await store.write(auth);
    // Nothing depends on the earlier sign-in, so a failure to end it does not matter to the user.
    if (before?.tokens?.refresh_token !== auth.tokens?.refresh_token && before)
      await tryRevoke(server, before, () => {});
    return { account, where, ...(auth.tokens ? { kind: 'chatgpt', ...identityOf(auth.tokens) } : { kind: 'key' }) };
  });
}

/** Returns the sign-in so far. A damaged one counts as none: signing in again, or out, is the way to get rid of it. */
async function readBefore(store: AuthStore): Promise<AuthFile | undefined> {
  try {
    return (await store.read())?.auth;
  } catch (error) {
    if (error instanceof UserError && error.code === 'damaged') return undefined;
    throw error;
  }
}

async function tryRevoke(server: AuthServer, auth: AuthFile, onFailure: (why: string) => void): Promise<void> {
  try {
    await revokeTokens(server, auth);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onFailure(error.message);
  }
}

async function withServer<T>(config: Config, work: (server: AuthServer) => Promise<T>): Promise<T> {
  const { http, close } = serverParts(undefined, config);
  const { auth } = config;
  try {
    return await work({ issuer: auth.issuer, clientId: auth.clientId, send: authSend(http) });
  } finally {
    await close();
  }
}
