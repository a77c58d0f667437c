import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Channel, Reading } from '../output/channel.ts';
import { inputClosed } from '../output/input-closed.ts';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import { foregroundGroup } from '../process/foreground-group.ts';
import { signal } from '../process/kill-tree.ts';
import type { Launch } from '../process/launch.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { type LaunchPlace, spawnLaunch } from '../process/spawn-launch.ts';
import { onTerminal } from '../pty/on-terminal.ts';

export interface StartOptions extends Omit<LaunchPlace, 'stdin' | 'stdout' | 'stderr'> {
  readonly launch: Launch;
  /** Undefined: stdout and stderr get one each, and their order is that of arrival. */
  readonly channel: Channel | undefined;
}

/** Ctrl-C, which is a signal where there is no terminal. */
export const INTERRUPT = '\u0003';

/** Starts a process. Throws `ToolFailure`. */
export async function startProcess(options: StartOptions, events: ProcessEvents): Promise<StartedProcess> {
  const { channel, launch } = options;
  const child = trySpawn(options);
  const { pid } = child;
  if (pid === undefined) {
    channel?.abandon();
    launch.end();
    throw await new Promise((resolve) => child.once('error', (error) => resolve(spawnFailure(error))));
  }
  channel?.taken();
  child.once('exit', (code, name) => {
    launch.end();
    events.exited(code ?? 128 + (name === null ? 0 : constants.signals[name]));
  });
  const whenExited = (then: () => void) => void (isRunning(child) ? child.once('exit', then) : then());
  const readings: Reading[] = channel === undefined ? readTwo(child, events) : [channel.read(whenExited, events)];
  return {
    pid,
    isSupervised: launch.supervises,
    ...channel?.keyboard,
    async write(chars) {
      if (channel?.keyboard !== undefined) return channel.keyboard.write(chars);
      if (chars !== INTERRUPT) throw inputClosed();
      if (isRunning(child)) signal(-foregroundGroup(pid, launch), 'SIGINT');
    },
    abandonOutput() {
      for (const reading of readings) reading.unref();
    },
  };
}

function trySpawn(options: StartOptions): ChildProcess {
  const { channel, launch } = options;
  const output = channel?.inner ?? 'pipe';
  const keyboard = channel?.keyboard;
  try {
    if (keyboard === undefined) return spawnLaunch(launch, { ...options, stdout: output, stderr: output });
    return spawnLaunch(onTerminal(launch, keyboard.path), {
      ...options,
      stdin: output,
      stdout: output,
      stderr: output,
    });
  } catch (error) {
    channel?.abandon();
    launch.end();
    throw spawnFailure(error);
  }
}

function readTwo(child: ChildProcess, events: ProcessEvents): Socket[] {
  const sockets = [child.stdout, child.stderr].filter((stream) => stream instanceof Socket);
  let open = sockets.length;
  for (const socket of sockets) {
    socket.on('data', (bytes: Buffer) => events.data(bytes));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open -= 1;
      if (open === 0) events.outputEnded();
    });
  }
  return sockets;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
