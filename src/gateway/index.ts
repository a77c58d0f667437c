import { checkOptions, type OptionNames } from '../config/check-options.ts';
import { type Config, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { realWorld } from '../config/real-world.ts';
import { configuredGateway } from './configured-gateway.ts';
import type { BegunCalls, ExchangeReport } from './exchange/exchange-report.ts';
import type { Gateway } from './gateway.ts';
import type { Upstream } from './load-settings.ts';

export type { Repair } from '../base/repair.ts';
export type { WireName } from '../base/wire.ts';
export type { Env } from '../config/home.ts';
export type { OptionOrigins } from '../config/load-options.ts';
export type { RouteSetting, Settings } from '../config/settings.ts';
export type { BegunCalls, ExchangeReport, LoadOptions, Upstream };

/** Options of `createGateway`. */
export interface CreateGatewayOptions extends LoadOptions {
  /** A server that gets every request. Without it the configuration names the servers. */
  readonly upstream?: Upstream;
  /** Called once for each exchange, when it is over. */
  readonly onReport?: (report: ExchangeReport) => void;
}

/** A gateway for a server of your own. */
export interface EmbeddedGateway extends Pick<Gateway, 'handle' | 'fetch' | 'drain'> {
  /** Reads the configuration again, for exchanges that begin from now on. */
  reload(options?: LoadOptions): void;
}

/**
 * Returns a gateway for a server of your own: `handle` for `node:http`, `fetch` for servers that use `Request` and
 * `Response`. The gateway itself does not listen. Throws `UserError` when the configuration is invalid.
 *
 * @example
 * const gateway = createGateway({ upstream: { url: 'http://127.0.0.1:8000/v1' } });
 * http.createServer(gateway.handle).listen(4141, '127.0.0.1');
 */
export function createGateway(options: CreateGatewayOptions = {}): EmbeddedGateway {
  checkOptions('createGateway', options, GATEWAY_OPTIONS);
  const { upstream, onReport, ...loading } = options;
  const load = (from: LoadOptions): Config => loadConfig(from);
  const {
    reload,
    isOpen: _,
    serve: __,
    ...gateway
  } = configuredGateway({
    config: load(loading),
    upstream,
    world: realWorld(),
    onReport: onReport ?? (() => {}),
  });
  return { ...gateway, reload: (next = loading) => reload(load(next), upstream) };
}

const GATEWAY_OPTIONS: OptionNames<CreateGatewayOptions> = {
  addDirs: true,
  cwd: true,
  env: true,
  hermetic: true,
  home: true,
  ignoreUserFile: true,
  moreEnv: true,
  onReport: true,
  origins: true,
  overrides: true,
  profile: true,
  settings: true,
  strict: true,
  systemFile: true,
  upstream: true,
};
