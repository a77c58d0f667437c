import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileFault } from '../base/file-fault.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Provider, TokenProgram } from '../base/provider.ts';

export interface KeySources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder with auth.json. */
  readonly home: string;
  /** Whether auth.json is not read. */
  readonly hermetic?: boolean;
}

export type FoundKey =
  /** `where` is the name of a variable or a file, for people. */
  | { readonly kind: 'found'; readonly where: string; readonly key: string }
  /** A program that prints the key. */
  | { readonly kind: 'program'; readonly where: string; readonly program: TokenProgram }
  /** A sign-in with ChatGPT, whose tokens are in the file `where`. */
  | { readonly kind: 'chatgpt'; readonly where: string }
  | { readonly kind: 'not needed' }
  | { readonly kind: 'missing'; readonly variable: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Returns the key of a provider: its own variable or token. CODEX_API_KEY, auth.json and OPENAI_API_KEY count only for
 * a provider that accepts OpenAI's sign-in, so that an OpenAI key never reaches another host.
 */
export function findKey(provider: Provider, { env, home, hermetic }: KeySources): FoundKey {
  const { envKey, bearerToken, openaiAuth, auth } = provider;
  const inVariable = (name: string) => foundIn(name, env[name]?.trim());
  const own = (openaiAuth && inVariable('CODEX_API_KEY')) || (envKey !== undefined && inVariable(envKey));
  if (own) return own;
  if (bearerToken) return { kind: 'found', where: 'config.toml (experimental_bearer_token)', key: bearerToken };
  if (auth) return { kind: 'program', where: `the program ${auth.command}`, program: auth };
  if (openaiAuth) {
    const stored = hermetic ? undefined : storedKey(join(home, 'auth.json'));
    return stored ?? inVariable(OPENAI) ?? missing(envKey ?? OPENAI);
  }
  return envKey === undefined ? { kind: 'not needed' } : missing(envKey);
}

const OPENAI = 'OPENAI_API_KEY';

const missing = (variable: string): FoundKey => ({ kind: 'missing', variable });

function foundIn(where: string, key: unknown): FoundKey | undefined {
  return typeof key === 'string' && key !== '' ? { kind: 'found', where, key } : undefined;
}

/** Returns the sign-in in a file. A file of an older Codex has no mode: a key in it counts then before tokens. */
function storedKey(path: string): FoundKey | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // The parser's message is not shown: it quotes the file, and with it the key.
    const why =
      error instanceof SyntaxError ? `${path} is not valid JSON` : `${path} cannot be read: ${fileFault(error)}.`;
    return { kind: 'unreadable', why };
  }
  if (!isRecord(stored)) return undefined;
  const key = stored.auth_mode === 'chatgpt' ? undefined : foundIn(path, stored[OPENAI]);
  if (key !== undefined || stored.auth_mode === 'apikey') return key;
  return isRecord(stored.tokens) ? { kind: 'chatgpt', where: path } : undefined;
}
