import { type GatewayState, openGatewayFile } from '../../app/commands/running-gateways.ts';
import { recordIn } from '../../app/thread/transport.ts';
import { messageOf } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { emptyCoreFiles } from '../../node-internals/empty-core-files.ts';
import { wordedMessage } from '../wording.ts';
import { type ChosenServer, namesServer, servedBy } from './choose-server.ts';
import { createGatewayPrinter, type GatewayPrinter } from './gateway-printer.ts';
import { loadGateway } from './load-gateway.ts';
import { recordingFile, writeQuirk } from './recording-file.ts';
import { secretVariables } from './secret-variables.ts';

export interface OpenGatewayOptions {
  readonly config: Config;
  readonly server: ChosenServer;
  /** Whether the gateway belongs to one program. The terminal is the program's then. */
  readonly isForRun: boolean;
  readonly json: boolean;
  /** Folder for recordings. */
  readonly record: string | undefined;
  readonly upstreamKeyEnv: string | undefined;
}

/** A gateway that listens, is known in the home, and prints its events. */
export interface OpenedGateway {
  readonly url: string;
  readonly printer: GatewayPrinter;
  /** Reads the configuration again. A wrong one is reported, and the old one stays. */
  reload(load: () => Config): void;
  /** Waits for running exchanges, up to a time, and ends. */
  close(drainMs: number): Promise<void>;
}

/** Starts a gateway. Throws `UserError`. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenedGateway> {
  const { config, isForRun, record: folder } = options;
  let { server } = options;
  emptyCoreFiles();
  const world = realWorld();
  const env = secretVariables(config, options.upstreamKeyEnv);
  const printer = createGatewayPrinter({ json: options.json, isQuiet: isForRun, config, env, now: world.now });
  printer.warn(config.warnings);
  const record = folder === undefined ? undefined : recordingFile(folder, world.now());
  const { tap, flush } = record === undefined ? {} : recordIn(record, { env, world });
  const { startGateway } = await loadGateway();
  const { upstream } = server;
  const gateway = await startGateway({
    config,
    world,
    onReport: printer.report,
    modelAdvice: 'On the command line of the gateway: -m NAME.',
    ...(upstream === undefined ? {} : { upstream }),
    ...(tap === undefined ? {} : { tap }),
    ...(record === undefined ? {} : { onQuirk: keepQuirk(record, printer) }),
  });
  for (const note of server.notes) printer.note(note);
  const file = openGatewayFile(config.home);
  const source = isForRun ? 'run' : server.source;
  let state: GatewayState = {
    url: gateway.url,
    since: world.now(),
    source,
    ...servedBy(upstream, config),
    reloads: 0,
    problem: null,
  };
  file.write(state);
  // A second signal ends the process without another chance.
  process.once('exit', file.remove);
  return {
    url: gateway.url,
    printer,
    reload(load) {
      try {
        const next = load();
        // A server that was found by chance gives way to one that the user names.
        const kept =
          server.source === 'found' && namesServer(next)
            ? { ...server, upstream: undefined, source: 'config' as const }
            : server;
        gateway.reload(next, kept.upstream);
        server = kept;
        state = {
          ...state,
          source: kept.source,
          ...servedBy(kept.upstream, next),
          reloads: state.reloads + 1,
          problem: null,
        };
        printer.reloaded(next.warnings);
      } catch (error) {
        const problem = wordedMessage(error);
        state = { ...state, reloads: state.reloads + 1, problem };
        printer.notReloaded(problem);
      }
      file.write(state);
    },
    async close(drainMs) {
      await gateway.close(drainMs);
      file.remove();
      flush?.();
      await printer.end();
    },
  };
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
