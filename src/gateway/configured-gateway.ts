import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { ExchangeTap } from '../model/exchange-tap.ts';
import { createGateway } from './create-gateway.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { loadSettings, type Upstream, type UpstreamProvider } from './load-settings.ts';
import { createMemoryResponseStore } from './memory-response-store.ts';
import { createMetrics } from './metrics.ts';

export interface ConfiguredOptions {
  readonly config: Config;
  /** A server that gets every request, regardless of the models in the configuration. */
  readonly upstream?: Upstream | UpstreamProvider | undefined;
  readonly world: World;
  readonly onReport: (report: ExchangeReport) => void;
  readonly tap?: ExchangeTap | undefined;
  readonly http?: GatewayOptions['http'];
  readonly onQuirk?: GatewayOptions['onQuirk'];
  readonly modelAdvice?: GatewayOptions['modelAdvice'];
}

export interface ConfiguredGateway extends Omit<Gateway, 'reload'> {
  /**
   * Applies a configuration to exchanges that begin from now on, with the server that gets every request, if any. Throws
   * `UserError`, and keeps the old settings then.
   */
  reload(config: Config, upstream?: ConfiguredOptions['upstream']): void;
  /** Reports whether clients need no key. */
  isOpen(): boolean;
}

/** Returns a gateway as the configuration describes it, with its store and its counters. Throws `UserError`. */
export function configuredGateway(options: ConfiguredOptions): ConfiguredGateway {
  const { config, upstream, world, onReport, tap, http, onQuirk, modelAdvice } = options;
  let settings = loadSettings(config, { upstream });
  const metrics = createMetrics();
  const gateway = createGateway({
    ...settings,
    offline: config.offline,
    world,
    store: createMemoryResponseStore({ ...config.gateway.store, now: world.now }),
    metrics: metrics.text,
    onReport(report) {
      metrics.observe(report);
      onReport(report);
    },
    onQuirk,
    modelAdvice,
    ...(tap === undefined ? {} : { tap }),
    ...(http === undefined ? {} : { http }),
  });
  return {
    ...gateway,
    reload(next, nextUpstream) {
      settings = loadSettings(next, { upstream: nextUpstream });
      gateway.reload(settings);
    },
    isOpen: () => settings.clientKeys.length === 0,
  };
}
