import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { SandboxPolicy } from '../../base/policy.ts';
import { filterNetwork } from '../network/filtered-network.ts';
import { createOutputPipes } from '../output/output-pipes.ts';
import { foregroundGroup } from '../process/foreground-group.ts';
import { killTree, killTreeSync, signal as sendSignal } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { findLeakedDescriptors, NO_LEAKS } from '../process/leaked-descriptors.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { type LaunchPlace, spawnLaunch } from '../process/spawn-launch.ts';
import { removeIdleStubs } from '../sandbox/name-stubs.ts';
import { attachInput, attachOutput } from './attached-streams.ts';
import { createConfinement } from './confinement.ts';

/** A command that has our own streams for its own. */
export interface AttachedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly policy: SandboxPolicy;
  /** Tells the processes of this command from all others. */
  readonly id: string;
  readonly streams: Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;
  /** Takes whom to tell of signals that the command shall get. */
  onSignal(listener: (name: NodeJS.Signals) => void): void;
  /** Told once of each thing that is not as the user may expect it. */
  onNote(note: string): void;
  /** Told at the end of the hosts that it asked for in vain, if there are any. */
  onRefused(hosts: readonly string[]): void;
}

const MARK_NAME = 'OXBOW_COMMAND_ID';
/** After so many of these the command is not asked any longer. */
const PATIENCE = 2;

/**
 * Runs a command under a policy to its end and gives its exit code. When it ends, so does everything that it started.
 * Throws `ToolFailure` when nothing here could confine it or it cannot be started.
 */
export async function runAttached(command: AttachedCommand): Promise<number> {
  const { policy, cwd, argv, env } = command;
  const closing = new AbortController();
  const network = filterNetwork(policy, command.onNote);
  const confinement = createConfinement({
    policy,
    path: env.PATH ?? '',
    untrustedFolders: [cwd, ...policy.writableRoots],
    signal: closing.signal,
    onNote: command.onNote,
    ...(network === undefined ? {} : { filterNetwork: network.wrap }),
  });
  try {
    const launch = confinement.applies ? await confinement.launch(argv, cwd) : plainLaunch(argv);
    return await runLaunch(launch, command);
  } finally {
    closing.abort();
    const refused = network?.denied() ?? [];
    if (refused.length > 0) command.onRefused(refused);
    await network?.close();
  }
}

async function runLaunch(launch: Launch, command: AttachedCommand): Promise<number> {
  const { stdin, stdout, stderr } = command.streams;
  const pipes = createOutputPipes(command.env.TMPDIR || '/tmp');
  const input = await attachInput(stdin, pipes);
  const outputs = await Promise.all([attachOutput(stdout, pipes), attachOutput(stderr, pipes)]);
  const mark = `${MARK_NAME}=${command.id}:`;
  let child: ChildProcess | undefined;
  const tree = () => {
    const roots = child?.pid !== undefined && isRunning(child) ? [child.pid] : [];
    return { roots, supervisors: launch.supervises ? roots : [], mark };
  };
  const endAll = () => killTreeSync(tree());
  process.once('exit', endAll);
  try {
    child = start(launch, {
      cwd: command.cwd,
      env: { ...command.env, [MARK_NAME]: `${command.id}:` },
      launcherEnv: { PATH: '/usr/bin:/bin', [MARK_NAME]: `${command.id}:` },
      stdin: input.stdio,
      stdout: outputs[0].stdio,
      stderr: outputs[1].stdio,
      leaked: launch.commandAt === 0 ? NO_LEAKS : findLeakedDescriptors(),
    });
    input.started(child.stdin);
    outputs[0].started(child.stdout);
    outputs[1].started(child.stderr);
    passSignals(child, launch, command);
    return await exitCodeOf(child);
  } finally {
    await killTree(tree);
    process.off('exit', endAll);
    launch.end();
    removeIdleStubs();
    input.abandon();
    // However slowly it is read: nothing of it is lost.
    if (child !== undefined) await Promise.all(outputs.map(({ done }) => done));
    for (const output of outputs) output.abandon();
    await pipes.close();
  }
}

function start(launch: Launch, place: LaunchPlace): ChildProcess {
  try {
    return spawnLaunch(launch, place);
  } catch (error) {
    throw spawnFailure(error);
  }
}

function passSignals(child: ChildProcess, launch: Launch, command: AttachedCommand): void {
  let requests = 0;
  command.onSignal((name) => {
    const { pid } = child;
    if (pid === undefined || !isRunning(child)) return;
    // Ctrl-C may mean anything to a program; whoever says these wants it to end.
    if (name !== 'SIGINT') requests += 1;
    if (requests < PATIENCE) sendSignal(-foregroundGroup(pid, launch), name);
    else sendSignal(pid, launch.supervises ? 'SIGTERM' : 'SIGKILL');
  });
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(spawnFailure(error)));
    child.once('exit', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
