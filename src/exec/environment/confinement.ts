import { lazy } from '../../base/lazy.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { Launch, SandboxKind } from '../process/launch.ts';
import { createBubblewrapLaunch } from '../sandbox/bubblewrap-launch.ts';
import { describeSandbox, sandboxMissing } from '../sandbox/describe-sandbox.ts';
import { type FindSandboxOptions, type FoundSandbox, findSandbox } from '../sandbox/find-sandbox.ts';
import { createGuard, type Guard } from '../sandbox/landlock/guard.ts';
import { createLandlockLaunch } from '../sandbox/landlock/landlock-launch.ts';
import { createPlaces, type Places } from '../sandbox/places.ts';
import { createSeatbeltLaunch } from '../sandbox/seatbelt/seatbelt-launch.ts';

/** A confinement keeps commands inside a policy, or keeps them from running. */
export interface Confinement {
  /** Whether the policy forbids anything. */
  readonly applies: boolean;
  /** Begins to look for the sandbox. */
  prepare(): void;
  /** Resolves when no search for the sandbox runs. */
  settled(): Promise<void>;
  /**
   * Returns how to start a command. The caller must start the launch or call its `end`. Throws `ToolFailure` when no
   * sandbox can confine the command.
   */
  launch(argv: readonly string[], cwd: string, options?: LaunchOptions): Promise<Launch>;
  /** Returns the sandbox that the next command would get; undefined where a sandbox cannot wait for its command. */
  nextSandbox(): Promise<SandboxKind | undefined>;
}

export interface LaunchOptions {
  /** Whether the command reaches no host at all. Its variables then name no proxy. */
  readonly offline?: boolean;
}

export interface ConfinementOptions extends FindSandboxOptions {
  readonly policy: SandboxPolicy;
  /** Called once for each thing that is not as the user may expect it. */
  onNote(note: string): void;
  /** Returns the launch, which has no network, with access to the hosts that the policy names. */
  filterNetwork?(launch: Launch): Promise<Launch>;
  /** Guard that the confinements of an environment share, since their commands may run at the same time. */
  readonly guard?: Guard;
  /** Places that the confinements of an environment share, since they were fixed before its first command. */
  readonly places?: Places;
}

/** Note for a policy that names hosts where commands cannot be limited to them. */
const NO_FILTER =
  'The network is off altogether: allowed_domains needs a network namespace, which Landlock does not give commands.';

export function createConfinement(options: ConfinementOptions): Confinement {
  const { policy, guard = createGuard((note) => options.onNote(note)) } = options;
  const places = (options.places ?? createPlaces((note) => options.onNote(note))).of(policy);
  const reported = new Set<string>();
  let found: Promise<FoundSandbox> | undefined;

  function tell(note: string): void {
    if (reported.has(note)) return;
    reported.add(note);
    options.onNote(note);
  }

  const search = lazy(() => {
    found = findSandbox({ ...options, backend: policy.backend });
    return found;
  });

  /** Returns the sandbox. Throws `ToolFailure` where there is none. */
  async function sandboxFound(): Promise<Exclude<FoundSandbox, { type: 'none' }>> {
    const sandbox = await search();
    if (sandbox.type === 'none') throw sandboxMissing(sandbox, policy.mode);
    return sandbox;
  }

  const filtered = !policy.network && (policy.allowedDomains ?? []).length > 0;

  return {
    applies: policy.mode !== 'danger-full-access',
    prepare() {
      search().catch(() => undefined);
    },
    async settled() {
      await found?.catch(() => undefined);
    },
    async launch(argv, cwd, { offline = false } = {}) {
      const sandbox = await sandboxFound();
      if (sandbox.type === 'landlock') {
        tell(describeSandbox(sandbox));
        if (filtered) tell(NO_FILTER);
        return createLandlockLaunch({ policy, places: places.examine(), argv, sandbox, guard, tell });
      }
      const launch =
        sandbox.type === 'seatbelt'
          ? createSeatbeltLaunch({ policy, places: places.examine(), argv, tell })
          : createBubblewrapLaunch({ policy, places: places.examine(), argv, cwd, sandbox, tell });
      const filter = filtered && !offline ? options.filterNetwork : undefined;
      if (filter === undefined) return launch;
      // A network of its own is made for one command.
      const { sandbox: _, ...alone } = launch;
      return withNetwork(alone, filter);
    },
    async nextSandbox() {
      const sandbox = await sandboxFound();
      if (sandbox.type !== 'bubblewrap' || filtered) return undefined;
      const launch = createBubblewrapLaunch({ policy, places: places.examine(), argv: [], cwd: '/', sandbox, tell });
      launch.end();
      return launch.sandbox;
    },
  };
}

async function withNetwork(launch: Launch, filter: (launch: Launch) => Promise<Launch>): Promise<Launch> {
  try {
    return await filter(launch);
  } catch (error) {
    launch.end();
    throw error;
  }
}
