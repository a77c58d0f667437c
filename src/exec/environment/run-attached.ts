import type { SandboxPolicy } from '../../base/policy.ts';
import { filterNetwork } from '../network/filtered-network.ts';
import { createOutputPipes } from '../output/output-pipes.ts';
import { killTree, signal as sendSignal } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { createLeakFinder } from '../process/leaked-descriptors.ts';
import { createMark, killAtExit, type MarkedProcess, spawnMarked } from '../process/marked-process.ts';
import { createGuard } from '../sandbox/landlock/guard.ts';
import { removeIdleStubs } from '../sandbox/name-stubs.ts';
import { attachInput, attachOutput } from './attached-streams.ts';
import { createConfinement } from './confinement.ts';

/** A command that uses our own standard streams. */
export interface AttachedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Oxbow's home. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly policy: SandboxPolicy;
  /** Text that tells the processes of this command from all others. */
  readonly id: string;
  readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;
  /** Registers the receiver of signals meant for the command. */
  onSignal(listener: (name: NodeJS.Signals) => void): void;
  /** Called once for each thing that is not as the user may expect it. */
  onNote(note: string): void;
  /** Called at the end with the hosts that the policy refused, if there are any. */
  onRefused(hosts: readonly string[]): void;
}

/** Number of requests to end after which the command is killed. */
const PATIENCE = 2;

/**
 * Runs a command under a policy to its end and returns its exit code. Everything that the command started ends with it.
 * Throws `ToolFailure` when no sandbox can confine the command or the command cannot be started.
 */
export async function runAttached(command: AttachedCommand): Promise<number> {
  const { policy, cwd, argv, env } = command;
  const closing = new AbortController();
  const network = filterNetwork(policy, command.onNote);
  const guard = createGuard(command.onNote, command);
  const confinement = createConfinement({
    policy,
    path: env.PATH ?? '',
    untrustedFolders: [cwd, ...policy.writableRoots],
    signal: closing.signal,
    onNote: command.onNote,
    guard,
    ...(network === undefined ? {} : { filterNetwork: network.wrap }),
  });
  try {
    const launch = confinement.applies ? await confinement.launch(argv, cwd) : plainLaunch(argv);
    return await runLaunch(launch, command);
  } finally {
    closing.abort();
    guard.close();
    const refused = network?.denied() ?? [];
    if (refused.length > 0) command.onRefused(refused);
    await network?.close();
  }
}

async function runLaunch(launch: Launch, command: AttachedCommand): Promise<number> {
  const { stdin, stdout, stderr } = command.streams;
  const pipes = createOutputPipes({ home: command.home, temporary: command.env.TMPDIR || '/tmp' });
  const input = await attachInput(stdin, pipes);
  const outputs = await Promise.all([attachOutput(stdout, pipes), attachOutput(stderr, pipes)]);
  let started: MarkedProcess | undefined;
  try {
    started = spawnMarked(launch, {
      cwd: command.cwd,
      env: command.env,
      mark: createMark(command.id),
      stdin: input.stdio,
      stdout: outputs[0].stdio,
      stderr: outputs[1].stdio,
      leaked: createLeakFinder()(launch),
    });
    const { child } = started;
    input.started(child.stdin);
    outputs[0].started(child.stdout);
    outputs[1].started(child.stderr);
    return await runToEnd(started, launch, command);
  } finally {
    launch.end();
    removeIdleStubs();
    input.abandon();
    // Waits until our reader has read all output: no byte may be lost.
    if (started !== undefined) await Promise.all(outputs.map(({ done }) => done));
    for (const output of outputs) output.abandon();
    await pipes.close();
  }
}

async function runToEnd(process: MarkedProcess, launch: Launch, command: AttachedCommand): Promise<number> {
  const forget = killAtExit(process.tree);
  try {
    await process.started();
    passSignals(process, launch, command);
    return await new Promise(process.whenExited);
  } finally {
    await killTree(process.tree);
    forget();
  }
}

function passSignals(
  { child, isRunning, signalCommand }: MarkedProcess,
  launch: Launch,
  command: AttachedCommand,
): void {
  let requests = 0;
  command.onSignal((name) => {
    if (child.pid === undefined || !isRunning()) return;
    // Ctrl-C may mean anything to a program. The other signals ask it to end.
    if (name !== 'SIGINT') requests += 1;
    if (requests < PATIENCE) signalCommand(name);
    else sendSignal(child.pid, launch.supervises ? 'SIGTERM' : 'SIGKILL');
  });
}
