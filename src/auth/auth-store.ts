import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { waitForLock } from '../store/lock/wait-for-lock.ts';
import { authPath, chosenAccount, DEFAULT_ACCOUNT } from './accounts.ts';
import {
  type AuthFile,
  authModeOf,
  KEYRING,
  parseAuth,
  readAuthFile,
  removeAuthFile,
  writeAuthFile,
} from './auth-file.ts';

/** The keyring of the system. Each method throws `UserError` if the keyring cannot be used. */
export interface Keyring {
  /** Returns the secret of this name, or undefined. */
  read(name: string): Promise<string | undefined>;
  write(name: string, secret: string): Promise<void>;
  /** Returns whether there was a secret. */
  remove(name: string): Promise<boolean>;
}

/** The place of one account's sign-in. */
export interface AuthPlace {
  readonly home: string;
  /** Absent: the chosen account. */
  readonly account?: string | null | undefined;
  /** Asked before the file. Absent: only the file counts. */
  readonly keyring?: Keyring | undefined;
  /** Called with a sentence if the keyring cannot be used and the file is used in its place. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** A sign-in, and its place as people know it. */
export interface StoredAuth {
  readonly auth: AuthFile;
  readonly where: string;
}

/** Keeps the sign-in of one account. Every method throws `UserError`. */
export interface AuthStore {
  readonly account: string;
  /** Path of the file, whether or not the keyring is used. */
  readonly path: string;
  read(): Promise<StoredAuth | undefined>;
  /** Returns the place that the sign-in was written to, as people know it. */
  write(auth: AuthFile): Promise<string>;
  /** Returns whether there was a sign-in. */
  remove(): Promise<boolean>;
  /** Runs work while no other process of Oxbow changes the sign-in. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

/** Returns the store of an account's sign-in: the keyring if it is asked for and works, or the file. */
export function openAuthStore({ home, account, keyring, onNotice = () => {} }: AuthPlace): AuthStore {
  const name = account ?? chosenAccount(home);
  const path = authPath(home, name);
  const entry = keyringEntry(home, name);
  /** Runs work with the keyring. Returns undefined, after a notice, if there is no keyring that works. */
  const tryKeyring = async <T>(work: (keyring: Keyring) => Promise<T>): Promise<T | undefined> => {
    if (keyring === undefined) return undefined;
    try {
      return await work(keyring);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      onNotice(`${error.message} ${path} is used.`);
      return undefined;
    }
  };
  return {
    account: name,
    path,
    async read() {
      const secret = await tryKeyring((ring) => ring.read(entry));
      if (secret !== undefined) return { auth: parseAuth(secret, 'The sign-in in the keyring'), where: KEYRING };
      const auth = readAuthFile(path);
      return auth && { auth, where: path };
    },
    async write(auth) {
      const isKept = await tryKeyring(async (ring) => {
        await ring.write(entry, JSON.stringify(auth));
        return true;
      });
      // The file says that there is a sign-in. An older one in it would come back as soon as the keyring cannot be used.
      writeAuthFile(path, isKept ? { auth_mode: authModeOf(auth), oxbow_kept_in: 'keyring' } : auth);
      return isKept ? KEYRING : path;
    },
    async remove() {
      const wasInKeyring = await tryKeyring((ring) => ring.remove(entry));
      removeAuthFile(`${path}.refresh`);
      return removeAuthFile(path) || wasInKeyring === true;
    },
    async locked(work) {
      const lock = await waitForLock({ home, id: `auth-${name}`, path });
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}

/** Returns the name of an account's entry in the keyring. The entry of the default account has the name that Codex uses. */
function keyringEntry(home: string, account: string): string {
  const hash = createHash('sha256').update(realHome(home)).digest('hex').slice(0, 16);
  return account === DEFAULT_ACCOUNT ? `cli|${hash}` : `cli|${hash}|${account}`;
}

function realHome(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}
