import type { SandboxPolicy } from '../../base/policy.ts';
import { type FilteredNetwork, filterNetwork } from '../network/filtered-network.ts';
import { createGuard } from '../sandbox/landlock/guard.ts';
import { createPlaces, type Places } from '../sandbox/places.ts';
import { type Confinement, type ConfinementOptions, createConfinement } from './confinement.ts';
import { noteBareRepositories } from './note-bare-repositories.ts';

/** The confinements of an environment, one for each policy of a command. */
export interface Confinements {
  readonly places: Places;
  of(policy: SandboxPolicy): Confinement;
  /** Returns the hosts that the policy refused to commands, each once, in the order of the first attempts. */
  refusedHosts(): readonly string[];
  /** Deletes the journal of the guard. No command runs any longer. */
  closeGuard(): void;
  /** Ends the networks that lead to some hosts only. Resolves when no search for a sandbox runs. */
  close(): Promise<void>;
}

export interface ConfinementsOptions
  extends Omit<ConfinementOptions, 'policy' | 'untrustedFolders' | 'filterNetwork' | 'places' | 'guard'> {
  /** The working directory. A sandbox program in it is not trusted. */
  readonly cwd?: string | undefined;
  /** Oxbow's home. */
  readonly home?: string | undefined;
  /** Text that tells the environment from all others of this process. */
  readonly id: string;
}

export function createConfinements({ cwd, home, id, ...options }: ConfinementsOptions): Confinements {
  const confinements = new Map<string, Confinement>();
  const networks: FilteredNetwork[] = [];
  const places = createPlaces(options.onNote, home);
  const guard = createGuard(options.onNote, home === undefined ? undefined : { home, id });

  function create(policy: SandboxPolicy): Confinement {
    const network = filterNetwork(policy, options.onNote);
    if (network) networks.push(network);
    const confinement = createConfinement({
      ...options,
      policy,
      places,
      guard,
      untrustedFolders: cwd === undefined ? policy.writableRoots : [cwd, ...policy.writableRoots],
      ...(network ? { filterNetwork: network.wrap } : {}),
    });
    return {
      ...confinement,
      async launch(...command) {
        return noteBareRepositories(await confinement.launch(...command), policy.writableRoots, options.onNote);
      },
    };
  }

  return {
    places,
    of(policy) {
      const key = JSON.stringify(policy);
      let confinement = confinements.get(key);
      if (confinement === undefined) {
        confinement = create(policy);
        confinements.set(key, confinement);
      }
      return confinement;
    },
    closeGuard: guard.close,
    refusedHosts: () => [...new Set(networks.flatMap((network) => network.denied()))],
    async close() {
      const settled = [...confinements.values()].map((confinement) => confinement.settled());
      await Promise.all([...networks.map((network) => network.close()), ...settled]);
    },
  };
}
