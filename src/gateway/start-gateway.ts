import type { Config } from '../config/load-config.ts';
import { optimiseSoon } from '../node-internals/optimise-soon.ts';
import { type ConfiguredOptions, configuredGateway } from './configured-gateway.ts';
import { refuseUpgrade } from './server/refuse-upgrade.ts';
import { type GatewayServer, serveGateway } from './server/serve.ts';

export interface StartedGateway extends GatewayServer {
  /** For exchanges that begin from now on. The address stays. Throws `UserError`, and the old settings stay then. */
  reload(config: Config): void;
}

/** A gateway as the configuration describes it, listening, in a process of its own. Throws `UserError`. */
export async function startGateway(options: ConfiguredOptions): Promise<StartedGateway> {
  optimiseSoon();
  const { host, port } = options.config.gateway;
  const gateway = configuredGateway(options);
  const served = await serveGateway({ gateway, host, port, upgrade: refuseUpgrade, open: gateway.isOpen });
  return {
    ...served,
    // Whether a key is needed depends on the address that is listened on, whatever the file says meanwhile.
    reload: (next) => gateway.reload({ ...next, gateway: { ...next.gateway, host } }),
  };
}
