import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { PipedProcess } from '../../base/environment.ts';
import { exitCodeOf } from '../process/exit-of.ts';
import { isExecutable } from '../process/is-executable.ts';
import { killTree } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { NO_LEAKS } from '../process/leaked-descriptors.ts';
import { createMark, killAtExit, spawnMarked } from '../process/marked-process.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { within } from '../process/within.ts';
import { SYSTEM_PROGRAMS } from '../sandbox/find-programs.ts';
import { LAUNCHER } from '../sandbox/landlock/launcher.ts';
import { packInstructions } from '../sandbox/landlock/pack-instructions.ts';

export interface PipedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Text that tells the processes of this command from all others. */
  readonly id: string;
  /** Path at which this system installs perl, which ends everything when we end. */
  readonly perl?: string;
}

const KILL_WAIT_MS = 1000;

/**
 * Starts a process with pipes for its standard streams, outside any sandbox. The process ends with this one, and
 * everything that it started ends with it; without perl only if this process is not killed. Throws `ToolFailure` when
 * the process cannot be started. A missing program may also show in the errors and the exit code 127.
 */
export async function startPiped({
  argv,
  cwd,
  env,
  id,
  perl = SYSTEM_PROGRAMS.perl,
}: PipedCommand): Promise<PipedProcess> {
  const streams = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;
  const settings = { cwd, env, mark: createMark(id), leaked: NO_LEAKS, ...streams };
  const { child, started, tree } = spawnMarked(launchOf(argv, perl), settings);
  const forget = killAtExit(tree);
  const ended = closeOf(child);
  void ended.then(forget);
  const pid = await started().catch((error) => {
    forget();
    throw error;
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('a piped process has no pipes');
  // Each write reports that the process has ended.
  stdin.on('error', () => {});
  return {
    pid,
    output: stdout,
    errors: stderr,
    write: (bytes) => write(stdin, bytes),
    endInput: () => stdin.end(),
    ended,
    async kill() {
      await killTree(tree);
      await within(KILL_WAIT_MS, ended);
    },
  };
}

/**
 * Returns the launch of a command. Perl stays next to it as its supervisor: it becomes the parent of every orphaned
 * process, and notices when we die.
 */
function launchOf(argv: readonly string[], perl: string): Launch {
  const { arch, platform, pid } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64') || !isExecutable(perl)) return plainLaunch(argv);
  const launcher = [perl, '-e', LAUNCHER, '--'];
  return {
    argv: [...launcher, ...argv],
    commandAt: launcher.length,
    descriptors: [(variables) => packInstructions(arch, pid, [], variables)],
    env: {},
    supervises: true,
    end() {},
  };
}

/** Resolves to the exit code when the process has exited and its output has been read. */
function closeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('close', (code, name) => resolve(exitCodeOf(code, name)));
  });
}

function write(stdin: Writable, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(bytes, (error) => (error ? reject(spawnFailure(error)) : resolve()));
  });
}
