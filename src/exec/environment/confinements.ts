import type { SandboxPolicy } from '../../base/policy.ts';
import { type FilteredNetwork, filterNetwork } from '../network/filtered-network.ts';
import { createGuard } from '../sandbox/landlock/guard.ts';
import { type Confinement, type ConfinementOptions, createConfinement } from './confinement.ts';

/** The confinements of an environment, one for each policy that its commands come with. */
export interface Confinements {
  of(policy: SandboxPolicy): Confinement;
  /** Returns the hosts that commands were refused, each once, in the order of the first attempts. */
  refusedHosts(): readonly string[];
  /** Ends the network of commands that may reach some hosts only. Resolves when no sandbox is looked for any more. */
  close(): Promise<void>;
}

export interface ConfinementsOptions
  extends Omit<ConfinementOptions, 'policy' | 'untrustedFolders' | 'filterNetwork' | 'guard'> {
  /** The working directory: a sandbox program that lies there is not trusted. */
  readonly cwd?: string | undefined;
}

export function createConfinements({ cwd, ...options }: ConfinementsOptions): Confinements {
  const confinements = new Map<string, Confinement>();
  const networks: FilteredNetwork[] = [];
  const guard = createGuard(options.onNote);

  function create(policy: SandboxPolicy): Confinement {
    const network = filterNetwork(policy, options.onNote);
    if (network) networks.push(network);
    return createConfinement({
      ...options,
      policy,
      guard,
      untrustedFolders: cwd === undefined ? policy.writableRoots : [cwd, ...policy.writableRoots],
      ...(network ? { filterNetwork: network.wrap } : {}),
    });
  }

  return {
    of(policy) {
      const key = JSON.stringify(policy);
      let confinement = confinements.get(key);
      if (confinement === undefined) {
        confinement = create(policy);
        confinements.set(key, confinement);
      }
      return confinement;
    },
    refusedHosts: () => [...new Set(networks.flatMap((network) => network.denied()))],
    async close() {
      const settled = [...confinements.values()].map((confinement) => confinement.settled());
      await Promise.all([...networks.map((network) => network.close()), ...settled]);
    },
  };
}
