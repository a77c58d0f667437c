import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import { constants } from 'node:os';
import { ToolFailure } from '../base/errors.ts';
import { signal } from './kill-tree.ts';
import type { OutputPipe } from './output-pipes.ts';
import { readProcessTable } from './process-table.ts';
import { spawnFailure } from './spawn-failure.ts';

/** A process that runs, however it is connected to us. */
export interface StartedProcess {
  /** Leads a process group and a session of its own. */
  readonly pid: number;
  /** Types into it. Throws `ToolFailure` where its input is closed. */
  write(chars: string): void;
  /** Output that still comes is read and dropped, and no longer keeps our process alive. */
  abandonOutput(): void;
}

export interface ProcessEvents {
  /** The bytes are only valid during the call. */
  data(bytes: Uint8Array): void;
  /** No process holds the output any more. */
  outputEnded(): void;
  exited(exitCode: number): void;
}

export interface StartOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: stdout and stderr get one each, and their order is that of arrival. */
  readonly pipe: OutputPipe | undefined;
  /** Whether the process is a launcher whose child, in a session of its own, is the command. */
  readonly launcher: boolean;
}

/** One block for all reads: what is kept is copied out of it. */
const readBlock = Buffer.allocUnsafe(64 * 1024);

const INTERRUPT = '\u0003';

/** Starts a process without input. Throws `ToolFailure`. */
export async function startProcess(options: StartOptions, events: ProcessEvents): Promise<StartedProcess> {
  const { pipe } = options;
  const child = trySpawn(options);
  const { pid } = child;
  if (pid === undefined) {
    pipe?.abandon();
    throw await new Promise((resolve) => child.once('error', (error) => resolve(spawnFailure(error))));
  }
  if (pipe !== undefined) closeSync(pipe.writer);
  child.once('exit', (code, name) => events.exited(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  const sockets = pipe === undefined ? readTwo(child, events) : [readOne(pipe, child, events)];
  return {
    pid,
    write(chars) {
      if (chars !== INTERRUPT) throw inputClosed();
      if (isRunning(child)) signal(-foregroundGroup(pid, options), 'SIGINT');
    },
    abandonOutput() {
      for (const socket of sockets) socket.unref();
    },
  };
}

function trySpawn(options: StartOptions): ChildProcess {
  const { pipe, argv } = options;
  const output = pipe?.writer ?? 'pipe';
  // A regular file as stdin could be opened again for writing through /proc, out of any sandbox.
  const spawnOptions: SpawnOptions = {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['ignore', output, output],
  };
  try {
    return spawn(argv[0] ?? '', argv.slice(1), spawnOptions);
  } catch (error) {
    pipe?.abandon();
    throw spawnFailure(error);
  }
}

function readOne(pipe: OutputPipe, child: ChildProcess, events: ProcessEvents): Socket {
  const options: SocketConstructorOpts & ConnectOpts = {
    fd: pipe.reader,
    readable: true,
    writable: false,
    onread: {
      buffer: readBlock,
      callback(length, bytes) {
        events.data(bytes.subarray(0, length));
        return true;
      },
    },
  };
  const socket = new Socket(options);
  socket.once('close', (failed) => {
    if (failed) pipe.discard();
    else if (isRunning(child)) child.once('exit', () => pipe.recycle());
    else pipe.recycle();
    events.outputEnded();
  });
  // A failed read ends the output like any other end; 'close' follows.
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
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

function inputClosed(): ToolFailure {
  return new ToolFailure(
    'execution',
    'stdin is closed for this session; rerun exec_command with tty=true to keep stdin open',
  );
}

function foregroundGroup(pid: number, options: StartOptions): number {
  if (!options.launcher) return pid;
  // To signal the launcher would end it, and with it the command before that could clean up.
  return readProcessTable()?.find((row) => row.parent === pid)?.group ?? pid;
}
