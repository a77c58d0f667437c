import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';

/** Name of the account whose sign-in is auth.json itself, which Codex uses too. */
export const DEFAULT_ACCOUNT = 'default';

const FOLDER = 'accounts';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const FILE = /^(.+)\.json$/;

/**
 * Returns the path of the file with an account's sign-in. Without a name it is that of the chosen account. Throws
 * `UserError` for a name that cannot be one.
 */
export function authPath(home: string, account: string = chosenAccount(home)): string {
  if (account === DEFAULT_ACCOUNT) return join(home, 'auth.json');
  return join(home, FOLDER, `${checkedName(account)}.json`);
}

/** Returns the name of the account that counts if the user names no other. */
export function chosenAccount(home: string): string {
  let name: string;
  try {
    name = readFileSync(currentPath(home), 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return DEFAULT_ACCOUNT;
    throw new UserError('storage', `${currentPath(home)} cannot be read: ${fileFault(error)}.`);
  }
  if (NAME.test(name)) return name;
  throw new UserError('damaged', `${currentPath(home)} names no account. Remove it, or choose an account again.`);
}

/** Chooses the account that counts if the user names no other. Throws `UserError`. */
export function chooseAccount(home: string, account: string): void {
  const path = currentPath(home);
  try {
    if (account === DEFAULT_ACCOUNT) {
      rmSync(path, { force: true });
      return;
    }
    const draft = `${path}.${process.pid}.draft`;
    mkdirSync(join(home, FOLDER), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${checkedName(account)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError('storage', `${path} cannot be written: ${fileFault(error)}.`);
  }
}

/** Returns the names of the accounts that have a file of their own, in order. */
export function namedAccounts(home: string): string[] {
  try {
    const names = readdirSync(join(home, FOLDER)).map((file) => FILE.exec(file)?.[1] ?? '');
    return names.filter((name) => NAME.test(name) && name !== DEFAULT_ACCOUNT).sort();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new UserError('storage', `${join(home, FOLDER)} cannot be read: ${fileFault(error)}.`);
  }
}

function currentPath(home: string): string {
  return join(home, FOLDER, 'current');
}

function checkedName(account: string): string {
  if (NAME.test(account)) return account;
  const rule =
    'A name has at most 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.';
  throw new UserError('invalid_input', `"${account}" cannot be the name of an account. ${rule}`);
}
