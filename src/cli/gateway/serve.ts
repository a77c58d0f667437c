import { constants } from 'node:os';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { chooseServer } from './choose-server.ts';
import { openGateway } from './open-gateway.ts';
import { type GatewayValues, readGatewayOptions } from './options.ts';

const DRAIN_MS = 30_000;
/** Time until the process ends, even if something still keeps it after everything was closed. */
const END_MS = 1000;

/** Serves until a signal says to stop. */
export async function serve(values: GatewayValues, config: Config): Promise<number> {
  const gateway = await openGateway({
    config,
    server: await chooseServer(values, config),
    isForRun: false,
    json: values.json ?? false,
    record: values.record,
    upstreamKeyEnv: values['upstream-key-env'],
  });
  gateway.printer.started(gateway.url);
  await untilStopped(() => gateway.reload(() => loadConfig(readGatewayOptions(values))));
  gateway.printer.stopping();
  await gateway.close(DRAIN_MS);
  setTimeout(() => process.exit(), END_MS).unref();
  return 0;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first Ctrl-C or SIGTERM. The second one ends the process at once. SIGHUP calls `onReload`. */
function untilStopped(onReload: () => void): Promise<void> {
  process.on('SIGHUP', onReload);
  return new Promise((resolve) => {
    let stopping = false;
    for (const name of STOP_SIGNALS) {
      process.on(name, () => {
        if (stopping) process.exit(128 + constants.signals[name]);
        stopping = true;
        resolve();
      });
    }
  });
}
