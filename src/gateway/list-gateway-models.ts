import type { Config } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { loadWires } from '../wire/registry.ts';
import type { ConfiguredOptions } from './configured-gateway.ts';
import { answeringModels } from './find-target.ts';
import { loadSettings } from './load-settings.ts';
import { listModels } from './routes/list-models.ts';
import { openUpstreamHttp } from './upstream-http.ts';

/** A model that clients of a gateway may ask for. */
export interface GatewayModel {
  readonly id: string;
  /** Id of the provider that serves it. */
  readonly provider: string;
}

/** Returns the models that clients of a gateway with these settings may ask for. Throws `UserError`. */
export async function listGatewayModels(
  config: Config,
  upstream: ConfiguredOptions['upstream'],
): Promise<readonly GatewayModel[]> {
  const { targets, credentials, env } = loadSettings(config, { upstream });
  const { http, close } = openUpstreamHttp({ env, offline: config.offline });
  try {
    const options = { targets, credentials, env, http, wires: await loadWires(), world: realWorld() };
    const listed = await listModels(options);
    return listed.flatMap(({ id }) => {
      const provider = typeof id === 'string' ? targets.find(id)?.provider.id : undefined;
      return typeof id === 'string' && provider !== undefined ? [{ id, provider }] : [];
    });
  } finally {
    await close();
  }
}

/** Returns the only model that can answer clients of a gateway with these settings. Undefined if there are several. */
export async function onlyGatewayModel(...settings: Parameters<typeof listGatewayModels>): Promise<string | undefined> {
  const listed = await listGatewayModels(...settings);
  const [only, ...others] = answeringModels(listed.map(({ id }) => id));
  return others.length === 0 ? only : undefined;
}
