import { UserError } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import { findKey, type KeySources } from './find-key.ts';

const API = 'https://api.openai.com/v1';
const CHATGPT = { url: 'https://chatgpt.com/backend-api', wire: 'responses' };

export interface SignInSources extends KeySources {
  /** Address of ChatGPT. Null: the usual one. */
  readonly chatgptBaseUrl: string | null;
}

/**
 * Returns a provider as the sign-in requires it: with ChatGPT, requests go to another address, which speaks the
 * responses wire only. Throws `UserError` if the provider is set to another wire.
 */
export function withSignIn(provider: Provider, sources: SignInSources): Provider {
  if (!provider.openaiAuth || findKey(provider, sources).kind !== 'chatgpt') return provider;
  if (provider.wire !== 'auto' && provider.wire !== CHATGPT.wire)
    throw new UserError(
      'invalid_config',
      `The sign-in with ChatGPT works with the wire ${CHATGPT.wire} only: set wire_api = "auto" for the provider "${provider.id}", or use an API key.`,
    );
  return { ...provider, wire: CHATGPT.wire, baseUrl: chatgptAddress(provider, sources), chatgpt: true };
}

/** Returns the address for requests with a ChatGPT sign-in. An address of the user's own stays, as in Codex. */
function chatgptAddress({ id, baseUrl }: Provider, { chatgptBaseUrl }: SignInSources): string {
  if (id !== 'openai' || (chatgptBaseUrl === null && baseUrl !== API)) return baseUrl;
  return `${(chatgptBaseUrl ?? CHATGPT.url).replace(/\/+$/, '')}/codex`;
}
