import { messageOf } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { isExecutable } from '../process/is-executable.ts';
import type { Launch } from '../process/launch.ts';
import { isShortage } from '../process/spawn-failure.ts';
import { SEATBELT_PROGRAM, withProxyPort } from '../sandbox/seatbelt/seatbelt.ts';
import { createFilteringProxy, type ProxyOptions } from './filtering-proxy.ts';
import { type NetworkNamespace, openNetworkNamespace } from './network-namespace.ts';

/** The network of a thread's commands when only some hosts may be reached. */
export interface FilteredNetwork {
  /**
   * Returns a launch of bubblewrap or Seatbelt, which has no network, with the proxy as its only way out. Where that is
   * impossible, returns the launch unchanged: the network is off, and a note says so. Rejects where the system lacks
   * something for now.
   */
  wrap(launch: Launch): Promise<Launch>;
  /** Returns the hosts that were refused so far, each once, in the form of `allowed_domains`. */
  denied(): readonly string[];
  /** Ends all connections. Running commands are offline afterwards. */
  close(): Promise<void>;
}

export interface FilteredNetworkOptions extends ProxyOptions {
  /** Paths to try for nsenter. */
  readonly nsenter?: readonly string[];
  /** Called once for each thing that is not as the policy wants it. */
  onNote?(note: string): void;
}

/** Not the user's PATH, which may lead into the workspace. */
const NSENTER = ['/usr/bin/nsenter', '/bin/nsenter', '/run/current-system/sw/bin/nsenter'];

/** Returns the network of a policy that names hosts; undefined for other policies. */
export function filterNetwork(policy: SandboxPolicy, onNote: (note: string) => void): FilteredNetwork | undefined {
  const { allowedDomains = [], network, mode } = policy;
  if (network || mode === 'danger-full-access' || allowedDomains.length === 0) return undefined;
  return createFilteredNetwork({ allowedDomains, onNote });
}

/** Creates the network. Nothing is started before the first `wrap`, and all launches share the same namespace. */
export function createFilteredNetwork(options: FilteredNetworkOptions): FilteredNetwork {
  const proxy = createFilteringProxy(options);
  const closing = new AbortController();
  let namespace: Promise<NetworkNamespace | undefined> | undefined;
  let local: Promise<number> | undefined;
  for (const entry of proxy.invalid) options.onNote?.(invalidNote(entry));

  async function open(launch: Launch): Promise<NetworkNamespace | undefined> {
    try {
      const made = await openNetworkNamespace({
        bubblewrap: launch.argv[0] ?? '',
        nsenter: findNsenter(options.nsenter ?? NSENTER),
        ownUser: flagsOf(launch).includes('--unshare-user'),
        signal: closing.signal,
      });
      await proxy.listen(made.server);
      return made;
    } catch (error) {
      if (isShortage(error)) {
        namespace = undefined;
        throw error;
      }
      if (!closing.signal.aborted) options.onNote?.(offNote(messageOf(error)));
      return undefined;
    }
  }

  return {
    async wrap(launch) {
      if (launch.argv[0] === SEATBELT_PROGRAM) {
        // Commands in Seatbelt share the network of the machine, and may reach one port of it.
        local ??= proxy.listen({ host: '127.0.0.1', port: 0 });
        const port = await local;
        return { ...launch, argv: withProxyPort(launch.argv, port), env: { ...launch.env, ...proxyVariables(port) } };
      }
      if (!flagsOf(launch).includes(OFF)) throw new Error('Only a launch without network can be given a filtered one.');
      namespace ??= open(launch);
      const made = await namespace;
      return made === undefined ? launch : inside(made, launch);
    },
    denied: proxy.denied,
    async close() {
      closing.abort();
      const made = await namespace?.catch(() => undefined);
      await proxy.close();
      made?.close();
    },
  };
}

const OFF = '--unshare-net';

/** Returns the flags of bwrap, without the command after them. */
function flagsOf({ argv, commandAt }: Launch): readonly string[] {
  return argv.slice(0, commandAt);
}

/** Returns the launch inside the namespace, where bwrap does not make a network itself. */
function inside({ enter, port }: NetworkNamespace, launch: Launch): Launch {
  const launcher = [...enter, ...flagsOf(launch).filter((flag) => flag !== OFF)];
  return {
    ...launch,
    argv: [...launcher, ...launch.argv.slice(launch.commandAt)],
    commandAt: launcher.length,
    env: { ...launch.env, ...proxyVariables(port) },
  };
}

/** Hosts that are reached without the proxy: servers that commands start themselves. */
const DIRECT = 'localhost,127.0.0.1,::1';

/** Returns the variables by which programs find a proxy on a port of their loopback. */
function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  return {
    http_proxy: url,
    HTTP_PROXY: url,
    https_proxy: url,
    HTTPS_PROXY: url,
    all_proxy: url,
    ALL_PROXY: url,
    no_proxy: DIRECT,
    NO_PROXY: DIRECT,
    // Newer versions of Node read the other variables only with this one.
    NODE_USE_ENV_PROXY: '1',
  };
}

function findNsenter(places: readonly string[]): string {
  const found = places.find(isExecutable);
  if (found === undefined) throw new Error('there is no nsenter (install util-linux)');
  return found;
}

function offNote(why: string): string {
  return `allowed_domains has no effect, commands have no network at all: ${why}.`;
}

function invalidNote(entry: string): string {
  return `allowed_domains has "${entry}", which allows nothing: it takes names such as example.org or *.example.org, and addresses.`;
}
