import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { ExchangeTap } from '../model/exchange-tap.ts';
import { createGateway } from './create-gateway.ts';
import type { ExchangeReport } from './exchange-report.ts';
import { type LoadedSettings, loadSettings, type Upstream } from './load-settings.ts';
import { createMemoryStore } from './memory-store.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { type Served, serveGateway } from './serve.ts';

export interface StartOptions {
  readonly config: Config;
  readonly upstream?: Upstream;
  readonly world: World;
  onReport(report: ExchangeReport): void;
  readonly tap?: ExchangeTap;
}

export interface StartedGateway extends Served {
  /** For exchanges that begin from now on. The address stays. Throws `UserError`, and the old settings stay then. */
  reload(config: Config): void;
}

/** A gateway as the configuration describes it, listening. Throws `UserError`. */
export async function startGateway({ config, upstream, world, onReport, tap }: StartOptions): Promise<StartedGateway> {
  const { host, port, store } = config.gateway;
  // Whether a key is needed depends on the address that is listened on, whatever the file says meanwhile.
  const load = (from: Config): LoadedSettings =>
    loadSettings({ ...from, gateway: { ...from.gateway, host } }, upstream === undefined ? {} : { upstream });
  let settings = load(config);
  const metrics = createMetrics();
  const gateway = createGateway({
    ...settings,
    world,
    store: createMemoryStore({ ...store, now: world.now }),
    metrics: metrics.text,
    onReport(report) {
      metrics.observe(report);
      onReport(report);
    },
    ...(tap === undefined ? {} : { tap }),
  });
  const served = await serveGateway({
    gateway: { handle: counted(gateway.handle, metrics), drain: gateway.drain },
    host,
    port,
    upgrade: refuseUpgrade,
    open: () => settings.clientKeys.length === 0,
  });
  return {
    ...served,
    reload(next) {
      settings = load(next);
      gateway.reload(settings);
    },
  };
}

/** Exchanges are posted; what looks at the gateway itself is none. */
function counted(handle: ServedHandle, metrics: Pick<Metrics, 'active'>): ServedHandle {
  return (request, response) => {
    if (request.method === 'POST') {
      metrics.active(1);
      response.once('close', () => metrics.active(-1));
    }
    handle(request, response);
  };
}

type ServedHandle = Parameters<typeof serveGateway>[0]['gateway']['handle'];
