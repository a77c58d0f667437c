import { createTransport } from '../../app/thread/transport.ts';
import { messageOf } from '../../base/errors.ts';
import { type Config, loadConfig } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { formatHelp } from '../format-help.ts';
import { clientLines } from '../gateway/client-lines.ts';
import { createVoice, type Voice } from '../gateway/gateway-printer.ts';
import { loadGateway, type Upstream } from '../gateway/load-gateway.ts';
import { type GatewayValues, gatewayHelp, gatewayOptions, readLoadOptions, readUpstream } from '../gateway/options.ts';
import { recordingFile, writeQuirk } from '../gateway/recording-file.ts';
import { secretVariables } from '../gateway/secret-variables.ts';
import { untilStopped } from '../gateway/until-stopped.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { wordedMessage } from '../wording.ts';

export { gatewayHelp as help } from '../gateway/options.ts';

const DRAIN_MS = 30_000;
/** For whatever still keeps the process when everything was closed. */
const END_MS = 1000;

/** `oxbow gateway`: serves until it is told to stop. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('gateway', gatewayOptions, argv);
  if (values.help) {
    process.stdout.write(formatHelp(gatewayHelp));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError(`Unexpected "${positionals[0]}". See oxbow gateway --help.`);
  const upstream = readUpstream(values);
  const config = loadConfig(readLoadOptions(values));
  if (values.for === undefined) return serve(values, config, upstream);
  process.stdout.write(clientLines(values.for, factsOf(config, upstream)));
  return 0;
}

async function serve(values: GatewayValues, config: Config, upstream: Upstream | undefined): Promise<number> {
  const world = realWorld();
  const env = secretVariables(config, values['upstream-key-env']);
  const voice = createVoice({ json: values.json ?? false, config, env, now: world.now });
  voice.warn(config.warnings);
  const record = values.record === undefined ? undefined : recordingFile(values.record, world.now());
  const { tap, flush } = createTransport({ record, replay: undefined, env, world });
  const { startGateway } = await loadGateway();
  const gateway = await startGateway({
    config,
    world,
    onReport: voice.report,
    ...(upstream === undefined ? {} : { upstream }),
    ...(tap === undefined ? {} : { tap }),
    ...(record === undefined ? {} : { onQuirk: keepQuirk(record, voice) }),
  });
  voice.started(gateway.url);
  await untilStopped(() => {
    try {
      const next = loadConfig(readLoadOptions(values));
      gateway.reload(next);
      voice.reloaded(next.warnings);
    } catch (error) {
      voice.notReloaded(wordedMessage(error));
    }
  });
  voice.stopping();
  await gateway.close(DRAIN_MS);
  flush?.();
  await voice.end();
  setTimeout(() => process.exit(), END_MS).unref();
  return 0;
}

/** What cannot be written is told once; the exchange goes on. */
function keepQuirk(recording: string, voice: Pick<Voice, 'warn'>) {
  let told = false;
  return (quirk: { readonly name: string }) => {
    try {
      writeQuirk(recording, quirk);
    } catch (error) {
      if (!told) voice.warn([`Repaired responses cannot be kept beside ${recording}: ${messageOf(error)}`]);
      told = true;
    }
  };
}

/** A port that is found at the start cannot be told before it. */
function factsOf({ gateway }: Config, upstream: Upstream | undefined) {
  if (gateway.port === 0) throw new UsageError('--for needs a fixed port: --port 4141.');
  const host = ['0.0.0.0', '::', ''].includes(gateway.host) ? '127.0.0.1' : gateway.host;
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const model = upstream === undefined ? gateway.model : upstream.model;
  return { baseUrl: `http://${name}:${gateway.port}/v1`, keyEnv: gateway.keyEnv[0], model: model ?? undefined };
}
