import { messageOf } from '../base/errors.ts';
import type { Provider, TokenProgram } from '../base/provider.ts';
import { authPath } from './accounts.ts';
import { type AuthFile, authModeOf, KEYRING, readAuthFile } from './auth-file.ts';

export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder with auth.json. */
  readonly home: string;
  /** Name of the account whose sign-in is read. Absent: the chosen one. */
  readonly account?: string | null;
  /** Whether auth.json is not read. */
  readonly hermetic?: boolean;
}

export type FoundKey =
  /** `where` is the name of a variable or a file, for people. The key may have a scheme before it. */
  | { readonly kind: 'found'; readonly where: string; readonly key: string }
  /** A program that prints the key. */
  | { readonly kind: 'program'; readonly where: string; readonly program: TokenProgram }
  /** A sign-in with ChatGPT, whose tokens are in the file `where`. */
  | { readonly kind: 'chatgpt'; readonly where: string }
  /** A key in the keyring. */
  | { readonly kind: 'keyring'; readonly where: string }
  | { readonly kind: 'not needed' }
  | { readonly kind: 'missing'; readonly variable: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Returns the key of a provider: its own variable or token. CODEX_API_KEY, auth.json and OPENAI_API_KEY count only for
 * a provider that accepts OpenAI's sign-in, so that an OpenAI key never reaches another host.
 */
export function findKey(provider: Provider, { env, home, account, hermetic }: KeySources): FoundKey {
  const { envKey, bearerToken, openaiAuth, auth } = provider;
  const inVariable = (name: string) => foundIn(name, env[name]?.trim());
  const own = (openaiAuth && inVariable('CODEX_API_KEY')) || (envKey !== undefined && inVariable(envKey));
  if (own) return own;
  if (bearerToken)
    return { kind: 'found', where: 'config.toml (experimental_bearer_token)', key: `Bearer ${bearerToken}` };
  if (auth) return { kind: 'program', where: `the program ${auth.command}`, program: auth };
  if (openaiAuth) {
    const stored = hermetic ? undefined : storedKey(authPath(home, account ?? undefined));
    return stored ?? inVariable(OPENAI) ?? missing(envKey ?? OPENAI);
  }
  return envKey === undefined ? { kind: 'not needed' } : missing(envKey);
}

/** Returns the variable, file or program that the key of a provider comes from. Undefined if there is none. */
export function keyPlace(provider: Provider, sources: KeySources): string | undefined {
  const found = findKey(provider, sources);
  if (found.kind === 'chatgpt') return `${found.where} (sign-in with ChatGPT)`;
  return 'where' in found ? found.where : undefined;
}

const OPENAI = 'OPENAI_API_KEY';

const missing = (variable: string): FoundKey => ({ kind: 'missing', variable });

function foundIn(where: string, key: unknown): FoundKey | undefined {
  return typeof key === 'string' && key !== '' ? { kind: 'found', where, key } : undefined;
}

/** Returns the sign-in in a file, by its mode. */
function storedKey(path: string): FoundKey | undefined {
  let stored: AuthFile | undefined;
  try {
    stored = readAuthFile(path);
  } catch (error) {
    return { kind: 'unreadable', why: messageOf(error).replace(/\.$/, '') };
  }
  const mode = stored && authModeOf(stored);
  if (stored?.oxbow_kept_in === 'keyring')
    return mode === 'other' ? undefined : { kind: mode === 'apikey' ? 'keyring' : 'chatgpt', where: KEYRING };
  if (mode === 'apikey') return foundIn(path, stored?.OPENAI_API_KEY);
  return mode === 'chatgpt' && stored?.tokens ? { kind: 'chatgpt', where: path } : undefined;
}
