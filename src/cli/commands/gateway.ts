import { constants } from 'node:os';
import { recordIn } from '../../app/thread/transport.ts';
import { messageOf } from '../../base/errors.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { emptyCoreFiles } from '../../node-internals/empty-core-files.ts';
import { formatHelp } from '../format-help.ts';
import { clientLines } from '../gateway/client-lines.ts';
import { createGatewayPrinter, type GatewayPrinter } from '../gateway/gateway-printer.ts';
import { type GatewayUpstream, loadGateway } from '../gateway/load-gateway.ts';
import { type GatewayValues, gatewayHelp, gatewayOptions, readLoadOptions, readUpstream } from '../gateway/options.ts';
import { recordingFile, writeQuirk } from '../gateway/recording-file.ts';
import { secretVariables } from '../gateway/secret-variables.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { wordedMessage } from '../wording.ts';

export { gatewayHelp as help } from '../gateway/options.ts';

const DRAIN_MS = 30_000;
/** Time until the process ends, even if something still keeps it after everything was closed. */
const END_MS = 1000;

/** Runs `oxbow gateway`, which serves until it gets a signal to stop. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('gateway', gatewayOptions, argv);
  if (values.help) {
    print(formatHelp(gatewayHelp));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow gateway --help.`);
  const upstream = readUpstream(values);
  const config = loadConfig(readLoadOptions(values));
  if (values.for === undefined) return serve(values, config, upstream);
  print(clientLines(values.for, factsOf(config, upstream)));
  return 0;
}

async function serve(values: GatewayValues, config: Config, upstream: GatewayUpstream | undefined): Promise<number> {
  emptyCoreFiles();
  const world = realWorld();
  const env = secretVariables(config, values['upstream-key-env']);
  const printer = createGatewayPrinter({ json: values.json ?? false, config, env, now: world.now });
  printer.warn(config.warnings);
  const record = values.record === undefined ? undefined : recordingFile(values.record, world.now());
  const { tap, flush } = record === undefined ? {} : recordIn(record, { env, world });
  const { startGateway } = await loadGateway();
  const gateway = await startGateway({
    config,
    world,
    onReport: printer.report,
    ...(upstream === undefined ? {} : { upstream }),
    ...(tap === undefined ? {} : { tap }),
    ...(record === undefined ? {} : { onQuirk: keepQuirk(record, printer) }),
  });
  printer.started(gateway.url);
  await untilStopped(() => {
    try {
      const next = loadConfig(readLoadOptions(values));
      gateway.reload(next);
      printer.reloaded(next.warnings);
    } catch (error) {
      printer.notReloaded(wordedMessage(error));
    }
  });
  printer.stopping();
  await gateway.close(DRAIN_MS);
  flush?.();
  await printer.end();
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

/** Returns the writer of repaired responses. It warns once when it cannot write. The exchange continues. */
function keepQuirk(recording: string, printer: Pick<GatewayPrinter, 'warn'>) {
  let told = false;
  return (quirk: { readonly name: string }) => {
    try {
      writeQuirk(recording, quirk);
    } catch (error) {
      if (!told) printer.warn([`Repaired responses cannot be kept next to ${recording}: ${messageOf(error)}`]);
      told = true;
    }
  };
}

/** Returns the facts for `--for`. Throws `UsageError` for port 0, which is only chosen when the gateway starts. */
function factsOf({ gateway }: Config, upstream: GatewayUpstream | undefined) {
  if (gateway.port === 0) throw new UsageError('--for needs a fixed port: --port 4141.');
  const host = ['0.0.0.0', '::', ''].includes(gateway.host) ? '127.0.0.1' : gateway.host;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const model = upstream === undefined ? gateway.model : upstream.model;
  return { baseUrl: `http://${name}:${gateway.port}/v1`, keyEnv: gateway.keyEnv[0], model: model ?? undefined };
}
