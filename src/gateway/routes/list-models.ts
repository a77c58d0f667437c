import { isRecord } from '../../base/json-schema.ts';
import type { Provider } from '../../base/provider.ts';
import type { World } from '../../base/world.ts';
import { requestHeaders } from '../../model/headers.ts';
import type { HttpSender } from '../../model/http.ts';
import { requestUrl } from '../../model/request-url.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Wires } from '../../wire/registry.ts';
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
  const served = targets.defaultProvider === undefined ? [] : await servedModels(targets.defaultProvider, options);
  return [...own, ...served.filter(({ id }) => !known.has(id))];
}

export function modelEntry(name: string, targets: Targets): Fields {
  return { id: name, object: 'model', created: 0, owned_by: targets.find(name)?.provider.id ?? 'oxbow' };
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Returns no models for a server that fails to list them in time: the server may still answer requests. */
async function servedModels(
  provider: Provider,
  options: ListModelsOptions,
): Promise<readonly { readonly id: unknown }[]> {
  try {
    const body: unknown = JSON.parse(await fetchList(provider, options));
    const list = isRecord(body) ? body.data : undefined;
    return Array.isArray(list) ? list.filter(isRecord).map((model) => ({ ...model, id: model.id })) : [];
  } catch {
    return [];
  }
}

async function fetchList(provider: Provider, options: ListModelsOptions): Promise<string> {
  const { credentials, env, http, world, wires } = options;
  // A server that may speak any wire is assumed to speak the first.
  const wire = wires.get(provider.wire) ?? [...wires.values()][0];
  if (wire === undefined) return '';
  const identity = { threadId: world.uuid(), originator: 'oxbow_gateway', userAgent: 'oxbow-gateway' };
  const headers = requestHeaders({ provider, identity, credentials: await credentials(provider), env, wire });
  const response = await http.send(requestUrl(provider, '/models'), {
    method: 'GET',
    headers: { ...headers, accept: 'application/json' },
    body: NO_BODY,
    idleTimeoutMs: TIMEOUT_MS,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await response.read(TIMEOUT_MS); chunk !== null; chunk = await response.read(TIMEOUT_MS)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BYTES) break;
  }
  response.release();
  return Buffer.concat(chunks).toString();
}

const NO_BODY = new Uint8Array();
