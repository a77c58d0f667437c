import type { Config } from '../../config/load-config.ts';
import { createHttp } from '../../model/http/create-http.ts';
import { assertWires } from '../../model/providers/assert-wires.ts';
import { localProviders } from '../../model/providers/index.ts';
import { askForModels } from '../../model/served-models.ts';
import { loadClientWire, wiresToTry } from '../../wire/registry.ts';

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
 * address of a server that is not running. `wanted` is the id of a provider that is asked too. Throws `UserError`.
 */
export async function findLocalServers(
  { modelProviders }: Pick<Config, 'modelProviders'>,
  wanted?: string,
): Promise<LocalServer[]> {
  assertWires(modelProviders);
  const http = createHttp();
  try {
    return await Promise.all(
      localProviders(modelProviders, wanted).map(async (provider) => {
        const wire = await loadClientWire(wiresToTry(provider)[0]);
        const models = await askForModels({ provider, wire, http, headers: async () => ({}), timeoutMs: TIMEOUT_MS });
        const names = models?.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
        return { id: provider.id, name: provider.name, baseUrl: provider.baseUrl, models: names };
      }),
    );
  } finally {
    await http.close();
  }
}
