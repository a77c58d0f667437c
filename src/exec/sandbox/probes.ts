import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../../base/errors.ts';
import { signal as sendSignal } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { NO_LEAKS } from '../process/leaked-descriptors.ts';
import { isShortage } from '../process/spawn-failure.ts';
import { spawnLaunch } from '../process/spawn-launch.ts';
import { bubblewrapArgv } from './bubblewrap.ts';
import { ACCESS } from './landlock/access.ts';
import { innerWall } from './landlock/inner-wall.ts';
import { LAUNCHER } from './landlock/launcher.ts';
import { confineFields, type LandlockVariant, packInstructions } from './landlock/pack-instructions.ts';
import { createFilter } from './seccomp/create-filter.ts';
import type { Arch } from './seccomp/syscalls.ts';

/** A way to use bubblewrap. Containers may forbid parts of it. */
export interface BubblewrapVariant {
  readonly program: string;
  readonly mountProc: boolean;
  readonly userNamespace: boolean;
  readonly superuser: boolean;
  /** Landlock as a second wall inside bubblewrap, where it works. */
  readonly landlock?: LandlockVariant;
}

/** Attempts to use a sandbox. They reject only where the system lacks something for now. */
export interface SandboxProbes {
  /** Runs `true` with the flags of real commands. Resolves to the reason of a failure, or undefined. */
  bubblewrap(variant: BubblewrapVariant): Promise<string | undefined>;
  /** Resolves to the version of Landlock's interface, or the reason why there is none. */
  landlockVersion(perl: string): Promise<number | string>;
  /** Runs `true` as real commands are run. Resolves to the reason of a failure, or undefined. */
  landlock(perl: string, version: number): Promise<string | undefined>;
}

/** Reason for a probe that took too long or was aborted. */
const GIVEN_UP = 'it did not answer';

const TIMEOUT_MS = 10_000;
const VARIABLES = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' };
const VERSION_SCRIPT = 'my $v = syscall(444, 0, 0, 1); print $v < 0 ? -$! : $v';

/** Answers of the kernel to a request for Landlock, by error number. */
const LANDLOCK_REFUSALS: Readonly<Record<number, string>> = {
  1: 'blocked by the container (EPERM)',
  38: 'not in this kernel (ENOSYS)',
  95: 'disabled at boot (EOPNOTSUPP)',
};

/** Creates the probes of this machine. When the signal aborts, running probes are ended. */
export function createProbes(arch: Arch, superuser: boolean, signal: AbortSignal): SandboxProbes {
  const filter = createFilter({ arch, internet: false, unixSockets: false, isolated: false });
  return {
    async bubblewrap(variant) {
      const { failure } = await run(bubblewrapProbe(arch, variant, filter), signal);
      return failure;
    },
    async landlockVersion(perl) {
      const { failure, stdout } = await run(plainLaunch([perl, '-e', VERSION_SCRIPT]), signal);
      if (failure !== undefined) return failure;
      const version = Number.parseInt(stdout, 10);
      if (version > 0) return version;
      return LANDLOCK_REFUSALS[-version] ?? `refused (error ${-version})`;
    },
    async landlock(perl, version) {
      const fields = confineFields({ version, superuser, rules: [{ path: '/', access: ACCESS.read }], filter });
      const launch = {
        ...plainLaunch([perl, '-e', LAUNCHER, '--', 'true']),
        descriptors: [packInstructions(arch, process.pid, fields, VARIABLES)],
      };
      return (await run(launch, signal)).failure;
    },
  };
}

function bubblewrapProbe(arch: Arch, variant: BubblewrapVariant, filter: Uint8Array): Launch {
  const policy = { mode: 'read-only', writableRoots: [], network: false } as const;
  // Hides a folder, since bubblewrap versions that cannot hide one are of no use.
  const facts = {
    ...variant,
    roots: [],
    readOnly: [],
    stubs: [],
    pinned: [],
    hidden: [{ path: '/tmp', isFolder: true }],
  };
  const { argv, variables } = innerWall(arch, { ...facts, denied: [] });
  return {
    ...plainLaunch([...bubblewrapArgv(policy, facts), '--chdir', '/', '--', ...argv, 'true']),
    descriptors: [variables, filter],
  };
}

interface ProbeResult {
  readonly failure: string | undefined;
  readonly stdout: string;
}

async function run(launch: Launch, signal: AbortSignal): Promise<ProbeResult> {
  try {
    return await runToEnd(launch, signal);
  } catch (error) {
    if (isShortage(error)) throw error;
    return { failure: messageOf(error), stdout: '' };
  }
}

function runToEnd(launch: Launch, signal: AbortSignal): Promise<ProbeResult> {
  if (signal.aborted) return Promise.resolve({ failure: GIVEN_UP, stdout: '' });
  return new Promise((resolve, reject) => {
    const child = spawnLaunch(launch, {
      ...{ cwd: '/', env: VARIABLES, launcherEnv: VARIABLES },
      ...{ stdout: 'pipe', stderr: 'pipe', leaked: NO_LEAKS },
    });
    const finish = (failure: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ failure, stdout: stdout() });
    };
    const kill = () => {
      // Kills the whole group: a bwrap that loses its parent during the setup waits for the parent for ever.
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    };
    const giveUp = () => {
      kill();
      finish(GIVEN_UP);
    };
    const timer = setTimeout(giveUp, TIMEOUT_MS);
    // Does not finish at once: the aborting caller expects that no process is left.
    signal.addEventListener('abort', kill);
    const stdout = keepHead(child.stdout);
    const stderr = keepHead(child.stderr);
    child.on('error', (error) => {
      if (isShortage(error)) reject(error);
      finish(error.message);
    });
    child.on('close', (code, name) =>
      finish(code === 0 ? undefined : signal.aborted ? GIVEN_UP : (lineOf(stderr()) ?? `exited with ${code ?? name}`)),
    );
  });
}

function keepHead(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < 4096) text += part;
  });
  return () => text;
}

const OWN_PREFIX = /^(?:bwrap|oxbow-sandbox): /;

function lineOf(said: string): string | undefined {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => OWN_PREFIX.test(candidate)) ?? lines[0];
  return line?.replace(OWN_PREFIX, '').replace(/\.$/, '');
}
