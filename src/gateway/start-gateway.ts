import type { Config } from '../config/load-config.ts';
import { tuneV8 } from '../node-internals/tune-v8.ts';
import { type ConfiguredOptions, configuredGateway } from './configured-gateway.ts';
import { type GatewayServer, serveGateway } from './server/serve.ts';

export interface StartedGateway extends GatewayServer {
  /**
   * Applies a configuration to exchanges that begin from now on, with the server that gets every request, if any. The
   * address does not change. Throws `UserError`, and keeps the old settings then.
   */
  reload(config: Config, upstream?: ConfiguredOptions['upstream']): void;
}

/** Starts a gateway as the configuration describes it, in a process of its own. Throws `UserError`. */
export async function startGateway(options: ConfiguredOptions): Promise<StartedGateway> {
  tuneV8();
  const { host, port } = options.config.gateway;
  const gateway = configuredGateway(options);
  const served = await serveGateway({ gateway, host, port, open: gateway.isOpen });
  return {
    ...served,
    // Whether a key is required depends on the address that the gateway listens on, not on a new address in the file.
    reload: (next, upstream) => gateway.reload({ ...next, gateway: { ...next.gateway, host } }, upstream),
  };
}
