import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelError, messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Provider } from '../base/provider.ts';

export interface CredentialSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder with auth.json. */
  readonly home: string;
}

export interface Credentials {
  /** The whole value of the authorization header. */
  readonly authorization?: string;
}

/**
 * The key for a provider: its own variable or token, and only where the provider takes OpenAI's sign-in also
 * CODEX_API_KEY, auth.json and OPENAI_API_KEY, so that an OpenAI key never reaches another host. Throws `ModelError`.
 */
export async function findCredentials(provider: Provider, sources: CredentialSources): Promise<Credentials> {
  const key = ownKey(provider, sources) ?? (provider.openaiAuth ? openaiKey(sources) : undefined);
  if (key !== undefined) return { authorization: `Bearer ${key}` };
  if (provider.envKey !== undefined) throw new ModelError('auth', missingVariable(provider, provider.envKey));
  if (provider.openaiAuth) throw new ModelError('auth', NO_OPENAI_KEY);
  return {};
}

function ownKey({ openaiAuth, envKey, bearerToken }: Provider, { env }: CredentialSources): string | undefined {
  const general = openaiAuth ? env.CODEX_API_KEY?.trim() : undefined;
  return general || (envKey === undefined ? undefined : env[envKey]?.trim()) || bearerToken || undefined;
}

function openaiKey({ env, home }: CredentialSources): string | undefined {
  return storedKey(join(home, 'auth.json')) ?? (env.OPENAI_API_KEY?.trim() || undefined);
}

function storedKey(path: string): string | undefined {
  let stored: unknown;
  try {
    stored = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ModelError('auth', `${path} cannot be read: ${messageOf(error)}`);
  }
  const key = isRecord(stored) ? stored.OPENAI_API_KEY : undefined;
  return typeof key === 'string' && key !== '' ? key : undefined;
}

function missingVariable({ name, envKeyInstructions }: Provider, variable: string): string {
  const advice = envKeyInstructions ?? `Set it to the key of ${name}.`;
  return `Missing environment variable: \`${variable}\`. ${advice}`;
}

const NO_OPENAI_KEY =
  'No API key for OpenAI was found. Set OPENAI_API_KEY, or choose another provider: -c model_provider="ollama".';
