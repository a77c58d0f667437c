import { ModelError } from '../base/errors.ts';
import type { Provider, TokenProgram } from '../base/provider.ts';
import { type FoundKey, findKey, type KeySources } from './find-key.ts';
import { createTokenPrograms } from './token-programs.ts';

export interface Credentials {
  readonly kind: 'key' | 'chatgpt' | 'none';
  /** A key, whose header depends on the wire, or a whole value of the header `authorization`, with its scheme. */
  readonly authorization?: string;
  /** The account of a ChatGPT sign-in. */
  readonly accountId?: string;
  /** Further headers of a ChatGPT sign-in. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Variable, file or program that the key comes from, for people. */
  readonly where?: string;
}

/** The token that requests with a ChatGPT sign-in carry, and its account. */
export interface RequestTokens {
  readonly accessToken: string;
  readonly accountId: string | undefined;
  readonly isFedramp: boolean;
}

/** A function that returns a token that lasts for a request. `refused` is the last one, if the server has refused it. */
export type FindTokens = (refused: string | undefined) => Promise<RequestTokens>;

export interface CredentialsOptions {
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
  /** Finds the tokens of a ChatGPT sign-in. Without it such a sign-in cannot be used. */
  readonly tokens?: FindTokens;
  /** Returns the key in the keyring. Without it such a key cannot be used. */
  readonly keyInKeyring?: () => Promise<string | undefined>;
}

/** Finds the credentials of requests, and keeps those that are not the same for ever. */
export interface CredentialsFinder {
  /**
   * Returns the credentials that a request to a provider must have, at once if a variable or a file has them.
   * `refused`: the server has refused the last ones. Rejects with a `ModelError` whose sentence says what to set.
   */
  of(provider: Provider, refused?: boolean): Credentials | Promise<Credentials>;
  /** The last keys that were found, which must not be shown. */
  readonly secrets: ReadonlySet<string>;
}

/** Tokens may be new for each request, so only the last ones are remembered. */
const MOST_SECRETS = 100;
const SHORTEST_SECRET = 8;

export function createCredentials(sources: KeySources, options: CredentialsOptions = {}): CredentialsFinder {
  const { now = Date.now, tokens, keyInKeyring } = options;
  const programs = createTokenPrograms({ env: sources.env, now });
  const secrets = new Set<string>();
  let last: string | undefined;

  async function ofSignIn(where: string, refused: boolean): Promise<Credentials> {
    if (tokens === undefined) throw new ModelError('auth', `${where} has a sign-in with ChatGPT, ${ONLY_KEYS}`);
    const { accessToken, accountId, isFedramp } = await tokens(refused ? last : undefined);
    last = accessToken;
    return {
      kind: 'chatgpt',
      authorization: `Bearer ${accessToken}`,
      where: `${where} (sign-in with ChatGPT)`,
      ...(accountId !== undefined && { accountId }),
      ...(isFedramp && { headers: { 'x-openai-fedramp': 'true' } }),
    };
  }

  const noted = (found: Credentials): Credentials => {
    const key = found.authorization?.replace('Bearer ', '') ?? '';
    secrets.delete(key);
    if (key.length >= SHORTEST_SECRET) secrets.add(key);
    for (const oldest of secrets) if (secrets.size > MOST_SECRETS) secrets.delete(oldest);
    return found;
  };

  return {
    secrets,
    of(provider, refused = false) {
      const found = find(provider, sources, {
        run: (program) => programs.tokenOf(provider, program, refused),
        signIn: (where) => ofSignIn(where, refused),
        keyring: async () => await keyInKeyring?.(),
      });
      return found instanceof Promise ? found.then(noted) : noted(found);
    },
  };
}

/** Returns the credentials of a single request, as `CredentialsFinder` does. */
export async function findCredentials(provider: Provider, sources: KeySources): Promise<Credentials> {
  return createCredentials(sources).of(provider, false);
}

/** Reports whether the credentials of a provider can be renewed when its server refuses them. */
export function isRenewable({ auth, chatgpt }: Provider): boolean {
  return auth !== undefined || chatgpt === true;
}

const NO_KEY_IN_KEYRING =
  'The key should be in the keyring of the system, but could not be read there. Sign in again, or set OPENAI_API_KEY.';
const ONLY_KEYS = 'which cannot be used here. Set OPENAI_API_KEY, or CODEX_API_KEY, to a key.';

interface Sources {
  run(program: TokenProgram): Promise<string>;
  signIn(where: string): Promise<Credentials>;
  keyring(): Promise<string | undefined>;
}

function find(provider: Provider, sources: KeySources, elsewhere: Sources): Credentials | Promise<Credentials> {
  const found = findKey(provider, sources);
  if (found.kind === 'found') return { kind: 'key', authorization: found.key, where: found.where };
  return found.kind === 'not needed' ? NONE : ask(found, provider, elsewhere);
}

const NONE: Credentials = { kind: 'none' };

type OtherKey = Exclude<FoundKey, { readonly kind: 'found' | 'not needed' }>;

async function ask(found: OtherKey, provider: Provider, { run, signIn, keyring }: Sources): Promise<Credentials> {
  switch (found.kind) {
    case 'program':
      return { kind: 'key', authorization: await run(found.program), where: found.where };
    case 'chatgpt':
      return signIn(found.where);
    case 'keyring': {
      const key = await keyring();
      if (key) return { kind: 'key', authorization: key, where: found.where };
      throw new ModelError('auth', NO_KEY_IN_KEYRING, { remedy: { type: 'sign_in' } });
    }
    case 'unreadable':
      throw new ModelError('auth', `${found.why}.`);
    case 'missing':
      throw missingKey(provider, found.variable);
  }
}

function missingKey({ name, envKey, envKeyInstructions, openaiAuth }: Provider, variable: string): ModelError {
  if (openaiAuth && envKey === undefined) {
    return new ModelError('auth', NO_OPENAI_KEY, { remedy: { type: 'choose_provider' } });
  }
  const advice = envKeyInstructions ?? `Set it to the key of ${name}.`;
  return new ModelError('auth', `Missing environment variable: \`${variable}\`. ${advice}`);
}

const NO_OPENAI_KEY =
  'No sign-in and no API key for OpenAI was found. Sign in, set OPENAI_API_KEY, or choose another provider with model_provider in config.toml.';
