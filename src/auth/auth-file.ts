import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import { isRecord } from '../base/json-schema.ts';

/** The tokens of a ChatGPT sign-in, in the shape of Codex. Other fields are kept as they are. */
export interface StoredTokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly account_id?: string | null;
  readonly [other: string]: unknown;
}

/** The contents of auth.json, in the shape of Codex. Other fields are kept as they are. */
export interface AuthFile {
  /** `apikey`, `chatgpt`, or a mode that only Codex knows. */
  readonly auth_mode?: string | null;
  readonly OPENAI_API_KEY?: string | null;
  readonly tokens?: StoredTokens | null;
  /** Time of the last refresh, as ISO text. */
  readonly last_refresh?: string | null;
  /** Present in a file that only says which kind of sign-in the keyring has. */
  readonly oxbow_kept_in?: 'keyring';
  readonly [other: string]: unknown;
}

/** The keyring, as people know it. */
export const KEYRING = 'the keyring';

/** The kind of sign-in in auth.json. `other`: one that only Codex knows. */
export type AuthMode = 'apikey' | 'chatgpt' | 'other';

/**
 * Returns the contents of an auth.json, or undefined if there is none. Throws `UserError` for a file that is damaged or
 * cannot be read.
 */
export function readAuthFile(path: string): AuthFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UserError('storage', `${path} cannot be read: ${fileFault(error)}.`);
  }
  return parseAuth(text, path);
}

/** Reads the text of an auth.json. `where` names its place in errors. Throws `UserError`, which never quotes the text. */
export function parseAuth(text: string, where: string): AuthFile {
  let auth: unknown;
  try {
    auth = JSON.parse(text);
  } catch {
    // The parser's message is not shown: it quotes the file, and with it the tokens.
    throw damaged(where, text.trim() === '' ? 'is empty' : 'is cut off, or is not JSON');
  }
  const fault = isRecord(auth) ? faultOf(auth) : 'contains no object';
  if (fault !== undefined) throw damaged(where, fault);
  return auth as AuthFile;
}

/** Returns the kind of sign-in of an auth.json. Older files do not name it: a key comes before tokens, as in Codex. */
export function authModeOf({ auth_mode, OPENAI_API_KEY }: AuthFile): AuthMode {
  if (auth_mode === 'apikey' || auth_mode === 'chatgpt') return auth_mode;
  if (typeof auth_mode === 'string') return 'other';
  return typeof OPENAI_API_KEY === 'string' && OPENAI_API_KEY !== '' ? 'apikey' : 'chatgpt';
}

/**
 * Writes an auth.json that only its owner may read. A new file takes the place of the old one, so that a reader never
 * sees a part of it and a crash loses neither. Throws `UserError`.
 */
export function writeAuthFile(path: string, auth: AuthFile): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const target = throughLinks(path);
    const draft = `${target}.${process.pid}.draft`;
    writeWhole(draft, JSON.stringify(auth, null, 2));
    renameSync(draft, target);
    syncFolder(dirname(target));
  } catch (error) {
    throw new UserError('storage', `${path} cannot be written: ${fileFault(error)}.`);
  }
}

/** Removes an auth.json. Returns whether there was one. Throws `UserError`. */
export function removeAuthFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new UserError('storage', `${path} cannot be removed: ${fileFault(error)}.`);
  }
}

function damaged(where: string, fault: string): UserError {
  return new UserError('damaged', `${where} ${fault}. Remove it and sign in again.`, { remedy: { type: 'sign_in' } });
}

const TOKEN_FIELDS = ['id_token', 'access_token', 'refresh_token'];

/** Returns the fault of an object that is not an auth.json, or undefined. */
function faultOf({ OPENAI_API_KEY, tokens, auth_mode, last_refresh }: Record<string, unknown>): string | undefined {
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  const wrong = Object.entries({ OPENAI_API_KEY, auth_mode, last_refresh }).find(([, value]) => !isText(value));
  if (wrong) return `has a field ${wrong[0]} that is not text`;
  if (tokens === undefined || tokens === null) return undefined;
  if (!isRecord(tokens)) return 'has a field tokens that is not an object';
  const missing = TOKEN_FIELDS.find((name) => typeof tokens[name] !== 'string');
  if (missing !== undefined) return `has tokens without ${missing}`;
  return isText(tokens.account_id) ? undefined : 'has a field tokens.account_id that is not text';
}

/** Returns the file behind a link, so that a link to a file elsewhere stays one. */
function throughLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function writeWhole(path: string, text: string): void {
  rmSync(path, { force: true });
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes a rename last through a loss of power. Some systems cannot open folders. */
function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The file itself is whole, whatever the folder says after a loss of power.
  }
}
