import type { Provider } from '../../base/provider.ts';
import type { ListedModel } from '../../base/wire.ts';
import type { World } from '../../base/world.ts';
import { requestHeaders } from '../../model/headers.ts';
import type { HttpSender } from '../../model/http.ts';
import { type ModelsWire, servedModels } from '../../model/served-models.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { type Wires, wiresToTry } from '../../wire/registry.ts';
import type { GatewayOptions } from '../gateway.ts';
import type { Targets } from '../target.ts';

export interface ListModelsOptions extends Pick<GatewayOptions, 'credentials' | 'env'> {
  readonly targets: Targets;
  readonly http: HttpSender;
  readonly wires: Wires;
  readonly world: Pick<World, 'uuid'>;
}

/**
 * Returns the models that clients may ask for: those with a name in the configuration, then those that the default
 * server lists.
 */
export async function listModels(options: ListModelsOptions): Promise<readonly Fields[]> {
  const { targets } = options;
  const own = targets.names.map((name) => modelEntry(name, targets));
  const known = new Set<unknown>(targets.names);
  const { defaultProvider } = targets;
  const served = defaultProvider === undefined ? [] : await listedBy(defaultProvider, options);
  // Servers of other wires list models with other fields than clients of OpenAI's API expect.
  const usual = { object: 'model', created: 0, owned_by: defaultProvider?.id ?? 'oxbow' };
  return [...own, ...served.filter(({ id }) => !known.has(id)).map((model) => ({ ...usual, ...model }))];
}

export function modelEntry(name: string, targets: Targets): Fields {
  return { id: name, object: 'model', created: 0, owned_by: targets.find(name)?.provider.id ?? 'oxbow' };
}

const TIMEOUT_MS = 5000;

/** Returns the models that a server lists; none for a server that lists none in time. */
export async function listedBy(
  provider: Provider,
  options: Omit<ListModelsOptions, 'targets'>,
): Promise<readonly ListedModel[]> {
  const { credentials, env, http, world, wires } = options;
  const [likely, ...others] = wiresToTry(provider).flatMap((name) => wires.get(name) ?? []);
  if (likely === undefined) return [];
  const identity = { requestId: world.uuid(), originator: 'oxbow_gateway', userAgent: 'oxbow-gateway' };
  const headers = async (wire: ModelsWire) =>
    requestHeaders({ provider, identity, credentials: await credentials(provider), env, wire });
  return servedModels({ provider, wires: [likely, ...others], http, headers, timeoutMs: TIMEOUT_MS });
}
