import type { Keyring } from '../../auth/auth-store.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { Env } from '../../config/home.ts';
import { findOnPath } from '../../exec/process/find-on-path.ts';
import { type ProgramEnd, runProgram } from '../../exec/process/run-program.ts';

/** Name under which Codex keeps its sign-ins. */
const CODEX_SERVICE = 'Codex Auth';
/** Name of entries in the form of Oxbow. */
const OWN_SERVICE = 'Oxbow Auth';
/** A keyring that is locked asks the user for a password. */
const TIMEOUT_MS = 60_000;

/** Runs a program of the keyring. */
type KeyringCall = (args: readonly string[], input?: string) => Promise<ProgramEnd>;

/** Keyrings by the program that reaches them, in the order in which the programs are looked for. */
const KEYRINGS: Readonly<Record<string, (call: KeyringCall) => Keyring>> = {
  'secret-tool': libsecretKeyring,
  security: macKeyring,
};

/** Returns the keyring of the system. It is reached by a program of the system, which is looked for when it is used. */
export function systemKeyring(env: Env): Keyring {
  const open = (): Keyring => {
    for (const [name, keyring] of Object.entries(KEYRINGS)) {
      const path = findOnPath(name, env.PATH);
      if (path !== undefined) return keyring((args, input = '') => call(name, [path, ...args], env, input));
    }
    throw new UserError('unavailable', 'There is no program for the keyring: install secret-tool (libsecret-tools).');
  };
  return {
    read: async (name) => open().read(name),
    write: async (name, secret) => open().write(name, secret),
    remove: async (name) => open().remove(name),
  };
}

async function call(name: string, argv: readonly string[], env: Env, input: string): Promise<ProgramEnd> {
  try {
    return await runProgram({ argv, env, input, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw unusable(`${name} cannot be started: ${messageOf(error)}`);
  }
}

/** Returns the Secret Service of Linux desktops. An entry is the text of auth.json, as in Codex. */
function libsecretKeyring(call: KeyringCall): Keyring {
  const entry = (name: string) => ['service', CODEX_SERVICE, 'username', name];
  const read = async (name: string) => {
    const { code, stdout, stderr } = await call(['lookup', ...entry(name)]);
    // Without an entry it fails and says nothing.
    if (code !== 0 && stderr.trim() !== '') throw unusable(`secret-tool ended with code ${code}`);
    return code === 0 && stdout !== '' ? stdout : undefined;
  };
  return {
    read,
    async write(name, secret) {
      const { code } = await call(['store', `--label=${CODEX_SERVICE}`, ...entry(name)], secret);
      if (code !== 0) throw unusable(`secret-tool ended with code ${code}`);
    },
    async remove(name) {
      if ((await read(name)) === undefined) return false;
      const { code } = await call(['clear', ...entry(name)]);
      if (code !== 0) throw unusable(`secret-tool ended with code ${code}`);
      return true;
    },
  };
}

/** Characters of a secret in one entry: the program reads lines of at most 4096. */
const PIECE = 3000;
/** Mark of the last piece. It is not a character of base64. */
const END = '.';
/** Exit code of `security` for an entry that does not exist. */
const NO_ENTRY = 44;

/**
 * Returns the keychain of macOS. A secret goes to the program by its input, since other users can see arguments, and in pieces,
 * since a line of the input is short.
 */
function macKeyring(call: KeyringCall): Keyring {
  const user = (name: string, piece: number) => `${name}|${piece}`;
  const readPiece = async (name: string, piece: number) => {
    const { code, stdout } = await call(['find-generic-password', '-s', OWN_SERVICE, '-a', user(name, piece), '-w']);
    if (code !== 0 && code !== NO_ENTRY) throw unusable(`security ended with code ${code}`);
    return code === 0 ? stdout.trim() : undefined;
  };
  return {
    async read(name) {
      let text = '';
      for (let piece = 0; !text.endsWith(END); piece++) {
        const part = await readPiece(name, piece);
        if (part === undefined) return undefined;
        text += part;
      }
      return Buffer.from(text, 'base64').toString('utf8');
    },
    async write(name, secret) {
      const text = `${Buffer.from(secret).toString('base64')}${END}`;
      for (let piece = 0; piece * PIECE < text.length; piece++) {
        const part = text.slice(piece * PIECE, (piece + 1) * PIECE);
        const line = `add-generic-password -U -s "${OWN_SERVICE}" -a "${user(name, piece)}" -w "${part}"\n`;
        const { code } = await call(['-i'], line);
        if (code !== 0) throw unusable(`security ended with code ${code}`);
      }
    },
    async remove(name) {
      let piece = 0;
      while ((await readPiece(name, piece)) !== undefined) {
        const { code } = await call(['delete-generic-password', '-s', OWN_SERVICE, '-a', user(name, piece)]);
        if (code !== 0) throw unusable(`security ended with code ${code}`);
        piece++;
      }
      return piece > 0;
    },
  };
}

function unusable(why: string): UserError {
  return new UserError('unavailable', `The keyring cannot be used: ${why}.`);
}
