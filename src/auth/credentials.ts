import { ModelError } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import { findKey, type KeySources } from './find-key.ts';

export interface Credentials {
  readonly kind: 'key' | 'none';
  /** Whole value of the authorization header. */
  readonly authorization?: string;
  /** Variable or file that the key comes from, for people. */
  readonly where?: string;
}

/**
 * Returns the credentials that a request to a provider must have. Throws `ModelError` with a sentence that says what to
 * set.
 */
export async function findCredentials(provider: Provider, sources: KeySources): Promise<Credentials> {
  const found = findKey(provider, sources);
  switch (found.kind) {
    case 'found':
      return { kind: 'key', authorization: `Bearer ${found.key}`, where: found.where };
    case 'chatgpt':
      throw new ModelError('auth', `${found.where} has a sign-in with ChatGPT. Set OPENAI_API_KEY to use a key.`);
    case 'not needed':
      return { kind: 'none' };
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
  'No API key for OpenAI was found. Set OPENAI_API_KEY, or choose another provider with model_provider in config.toml.';
