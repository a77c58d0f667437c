import { type GatewayState, openGatewayFile } from '../../app/commands/running-gateways.ts';
import { recordIn } from '../../app/thread/transport.ts';
import { messageOf } from '../../base/errors.ts';
import type { Config } from '../../config/load-config.ts';
import { realWorld } from '../../config/real-world.ts';
import { emptyCoreFiles } from '../../node-internals/empty-core-files.ts';
import { wordedMessage } from '../wording.ts';
import { type ChosenServer, namesServer, servedBy } from './choose-server.ts';
import { createGatewayPrinter, type GatewayPrinter } from './gateway-printer.ts';
import { type GatewayUpstream, loadGateway } from './load-gateway.ts';
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
  const { config, server, isForRun, record: folder } = options;
  const { upstream } = server;
  emptyCoreFiles();
  const world = realWorld();
  const env = secretVariables(config, options.upstreamKeyEnv);
  const printer = createGatewayPrinter({ json: options.json, isQuiet: isForRun, config, env, now: world.now });
  printer.warn(config.warnings);
  const record = folder === undefined ? undefined : recordingFile(folder, world.now());
  const { tap, flush } = record === undefined ? {} : recordIn(record, { env, world });
  const { startGateway } = await loadGateway();
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
  const { url } = gateway;
  const note = noteInHome(config, {
    url,
    since: world.now(),
    source: isForRun ? 'run' : server.source,
    ...servedBy(upstream, config),
  });
  return {
    url,
    printer,
    reload: (load) => reload(load, server, { gateway, note, printer }),
    async close(drainMs) {
      await gateway.close(drainMs);
      note.remove();
      flush?.();
      await printer.end();
    },
  };
}

/** The note about a gateway in the home. */
interface HomeNote {
  /** Notes that the configuration was read again. */
  reloaded(facts: Pick<GatewayState, 'source' | 'provider' | 'model'> | { readonly problem: string }): void;
  remove(): void;
}

function noteInHome({ home }: Config, facts: Omit<GatewayState, 'reloads' | 'problem'>): HomeNote {
  const file = openGatewayFile(home);
  let state: GatewayState = { ...facts, reloads: 0, problem: null };
  file.write(state);
  // A second signal ends the process without another chance.
  process.once('exit', file.remove);
  return {
    reloaded(next) {
      state = { ...state, problem: null, ...next, reloads: state.reloads + 1 };
      file.write(state);
    },
    remove: file.remove,
  };
}

interface ReloadParts {
  readonly gateway: { reload(config: Config, upstream: GatewayUpstream | undefined): void };
  readonly note: HomeNote;
  readonly printer: GatewayPrinter;
}

function reload(load: () => Config, server: ChosenServer, { gateway, note, printer }: ReloadParts): void {
  try {
    const config = load();
    // A server that the user names counts more than one that was found.
    const isReplaced = server.source === 'found' && namesServer(config);
    const upstream = isReplaced ? undefined : server.upstream;
    gateway.reload(config, upstream);
    note.reloaded({ source: isReplaced ? 'config' : server.source, ...servedBy(upstream, config) });
    printer.reloaded(config.warnings);
  } catch (error) {
    const problem = wordedMessage(error);
    note.reloaded({ problem });
    printer.notReloaded(problem);
  }
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
