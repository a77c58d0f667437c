import type { Provider, ProviderSettings } from '../../base/provider.ts';
import { findProvider, isLocal } from './index.ts';

/** Built-in providers on this machine, in the order in which they are preferred. */
const BUILT_IN = ['ollama', 'lmstudio', 'llama.cpp', 'vllm', 'sglang'];

/** Further programs that serve models on this machine, after the built-in ones. LocalAI has the port of llama.cpp. */
const OTHERS: Readonly<Record<string, ProviderSettings>> = {
  jan: { name: 'Jan', baseUrl: 'http://localhost:1337/v1' },
  koboldcpp: { name: 'KoboldCpp', baseUrl: 'http://localhost:5001/v1' },
  tabbyapi: { name: 'TabbyAPI', baseUrl: 'http://localhost:5000/v1' },
};

/**
 * Returns all places on this machine where a model server may listen: those of the user, then the usual ones, each
 * address once. `ollamaHost` is the variable with which Ollama is moved.
 */
export function usualServers(
  settings: Readonly<Record<string, ProviderSettings>>,
  ollamaHost: string | undefined,
): Provider[] {
  const moved = ollamaAddress(ollamaHost);
  const known = { ...(moved === undefined ? {} : { ollama: { baseUrl: moved } }), ...settings };
  const own = Object.keys(settings).filter((id) => settings[id]?.baseUrl !== undefined);
  const providers = [
    ...[...own, ...BUILT_IN].map((id) => findProvider(id, known)),
    ...Object.keys(OTHERS).map((id) => findProvider(id, OTHERS)),
  ];
  const local = providers.filter(isLocal);
  return local.filter(({ baseUrl }, at) => local.findIndex((first) => first.baseUrl === baseUrl) === at);
}

const OLLAMA_PORT = '11434';

/** Returns the base URL for a value of OLLAMA_HOST, such as `0.0.0.0:11500`, which is an address to listen on. */
function ollamaAddress(host: string | undefined): string | undefined {
  const text = host?.trim();
  if (!text) return undefined;
  const address = /^https?:\/\//i.test(text) ? text : `http://${text.startsWith(':') ? `localhost${text}` : text}`;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  // A URL has the port of its scheme, a bare address that of Ollama.
  if (url.port === '' && address !== text) url.port = OLLAMA_PORT;
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/api`;
}
