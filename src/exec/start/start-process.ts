import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Channel, Reading } from '../output/channel.ts';
import { inputClosed } from '../output/input-closed.ts';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import type { Launch } from '../process/launch.ts';
import type { LeakedDescriptors } from '../process/leaked-descriptors.ts';
import { type MarkedProcess, type MarkedSettings, spawnMarked } from '../process/marked-process.ts';
import { onTerminal } from '../pty/on-terminal.ts';

export interface StartOptions extends Pick<MarkedSettings, 'cwd' | 'env' | 'mark'> {
  readonly launch: Launch;
  /** Finds the descriptors that the process must not inherit. Throws the errors of the system. */
  leaksFor(launch: Launch): LeakedDescriptors;
  /** Undefined: stdout and stderr get a pipe each, and their order is the order of arrival. */
  readonly channel: Channel | undefined;
}

/** Ctrl-C. Without a terminal it is sent as a signal. */
export const INTERRUPT = '\u0003';

/** Starts a process without a supervisor. Throws `ToolFailure`. */
export async function startProcess(options: StartOptions, events: ProcessEvents): Promise<StartedProcess> {
  const { channel, launch } = options;
  const { process, pid } = await spawnOn(options).catch((error) => {
    channel?.abandon();
    launch.end();
    throw error;
  });
  channel?.handedOver();
  process.whenExited((exitCode) => {
    launch.end();
    events.exited(exitCode);
  });
  const readings: Reading[] =
    channel === undefined ? readTwo(process.child, events) : [channel.read(process.whenExited, events)];
  return {
    pid,
    isSupervised: launch.supervises,
    signal: process.signalCommand,
    ...channel?.keyboard,
    async write(chars) {
      if (channel?.keyboard !== undefined) return channel.keyboard.write(chars);
      if (chars !== INTERRUPT) throw inputClosed();
      process.signalCommand('SIGINT');
    },
    abandonOutput() {
      for (const reading of readings) reading.unref();
    },
  };
}

async function spawnOn({
  launch,
  channel,
  leaksFor,
  ...command
}: StartOptions): Promise<{ process: MarkedProcess; pid: number }> {
  const settings = { ...command, leaked: leaksFor(launch) };
  const output = channel?.inner ?? 'pipe';
  const streams = { stdout: output, stderr: output } as const;
  const process =
    channel?.keyboard === undefined
      ? spawnMarked(launch, { ...settings, ...streams })
      : spawnMarked(onTerminal(launch, channel.keyboard.path), { ...settings, ...streams, stdin: output });
  return { process, pid: await process.started() };
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
