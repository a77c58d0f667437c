import type { Config } from '../../config/load-config.ts';
import { createHttp } from '../../model/http/create-http.ts';
import { localProviders } from '../../model/providers/index.ts';
import { askForModels, type ModelsWire } from '../../model/served-models.ts';
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
export async function findLocalServers(
  { modelProviders }: Pick<Config, 'modelProviders'>,
  wanted?: string,
): Promise<LocalServer[]> {
  const http = createHttp();
  try {
    return await Promise.all(
      localProviders(modelProviders, wanted).map(async (provider) => {
        const wires = await loadWiresToTry(provider);
        const headers = async (wire: ModelsWire) => wire.headers;
        const models = await askForModels({ provider, wires, http, headers, timeoutMs: TIMEOUT_MS });
        const names = models?.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
        return { id: provider.id, name: provider.name, baseUrl: provider.baseUrl, models: names };
      }),
    );
  } finally {
    await http.close();
  }
}
