import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';
import { createHttp } from '../../model/http/create-http.ts';
import type { HttpSender } from '../../model/http.ts';
import { localProviders } from '../../model/providers/index.ts';
import { usualServers } from '../../model/providers/local-servers.ts';
import { askForModels, type ModelsWire, type ServedModelsOptions, sendForModels } from '../../model/served-models.ts';
import { loadWiresToTry } from '../../wire/registry.ts';

/** A provider whose server would be on this machine. */
export interface LocalServer {
  /** Id of the provider. */
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  /** Names of the models that the server lists. Undefined if no server answers at the address. */
  readonly models: readonly string[] | undefined;
}

const TIMEOUT_MS = 1000;

/**
 * Asks all servers on this machine for their models, at once. No key is sent, because any program may listen at the
 * address of a server that is not running. `wanted` is the id of a provider that is asked too.
 */
export function findLocalServers(
  { modelProviders }: Pick<Config, 'modelProviders'>,
  wanted?: string,
): Promise<LocalServer[]> {
  return askAll(localProviders(modelProviders, wanted), async (provider, http) => {
    const models = await askForModels(await questionFor(provider, http));
    return { ...placeOf(provider), models: models?.flatMap(nameOf) };
  });
}

/** A place on this machine where a model server may listen. */
export interface UsualServer extends LocalServer {
  /** Whether a server answers, but wants a key. */
  readonly wantsKey: boolean;
}

/**
 * Asks all places on this machine where model servers usually listen, at once and without a key. Other programs use some
 * of these ports, so only an answer that lists models counts.
 */
export function findUsualServers({
  modelProviders,
  env,
}: Pick<Config, 'modelProviders' | 'env'>): Promise<UsualServer[]> {
  return askAll(usualServers(modelProviders, env.OLLAMA_HOST), async (provider, http) => {
    const answer = await sendForModels(await questionFor(provider, http)).catch(() => undefined);
    const models = answer?.status === 200 ? answer.models : undefined;
    return { ...placeOf(provider), models: models?.flatMap(nameOf), wantsKey: answer?.status === 401 };
  });
}

async function askAll<T>(
  providers: readonly Provider[],
  ask: (provider: Provider, http: HttpSender) => Promise<T>,
): Promise<T[]> {
  const http = createHttp();
  try {
    return await Promise.all(providers.map((provider) => ask(provider, http)));
  } finally {
    await http.close();
  }
}

async function questionFor(provider: Provider, http: HttpSender): Promise<ServedModelsOptions> {
  const headers = async (wire: ModelsWire) => wire.headers;
  return { provider, wires: await loadWiresToTry(provider), http, headers, timeoutMs: TIMEOUT_MS };
}

function placeOf({ id, name, baseUrl }: Provider) {
  return { id, name, baseUrl };
}

function nameOf({ id }: { readonly id: unknown }): string[] {
  return typeof id === 'string' && id !== '' ? [id] : [];
}
