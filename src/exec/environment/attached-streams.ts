import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { OutputPipe, OutputPipes } from '../output/output-pipes.ts';

/** What a process gets for one of its standard streams. */
export interface AttachedStream {
  readonly stdio: number | 'pipe';
  /** To be called when the process has it, with its own end where that is a stream of Node's. */
  started(own: Readable | Writable | null): void;
  /** Resolves when all has passed and no process holds it any more. */
  readonly done: Promise<void>;
  /** Nothing more needs to pass. */
  abandon(): void;
}

/**
 * The terminal itself, where our own stream is one. Everything else passes through a pipe: a file that the command had
 * as its own could be opened again through /proc, to be read, changed and emptied, out of any sandbox.
 */
export async function attachOutput(
  to: NodeJS.Process['stdout' | 'stderr'],
  pipes: OutputPipes,
): Promise<AttachedStream> {
  if (isatty(to.fd)) return asItIs(to.fd);
  const pipe = await pipes.acquire();
  let finish = () => {};
  let source: Readable | undefined;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const read = (from: Readable) => {
    source = from;
    from.on('error', () => undefined).once('close', finish);
    // Nobody reads our own output any more: the command finds that out by its pipe.
    to.on('error', () => from.destroy());
    from.pipe(to, { end: false });
  };
  if (pipe !== undefined) read(new Socket({ fd: pipe.reader, readable: true, writable: false }));
  return {
    stdio: pipe?.writer ?? 'pipe',
    started(own) {
      if (pipe !== undefined) {
        closeSync(pipe.writer);
        pipe.discard();
      } else if (own !== null && 'read' in own) read(own);
      else finish();
    },
    done,
    abandon: () => source?.destroy(),
  };
}

/** The same for what the command reads. */
export async function attachInput(from: NodeJS.Process['stdin'], pipes: OutputPipes): Promise<AttachedStream> {
  if (isatty(from.fd)) return asItIs(from.fd);
  const pipe = await pipes.acquire();
  return pipe === undefined ? throughStream(from) : throughPipe(from, pipe);
}

function throughStream(from: NodeJS.Process['stdin']): AttachedStream {
  return {
    stdio: 'pipe',
    started(own) {
      if (own !== null && 'write' in own) feed(own, from);
    },
    done: Promise.resolve(),
    abandon: () => from.destroy(),
  };
}

function throughPipe(from: NodeJS.Process['stdin'], pipe: OutputPipe): AttachedStream {
  const stdio = waitingReader(pipe.reader);
  const writer = new Socket({ fd: pipe.writer, readable: false, writable: true });
  let nudging: NodeJS.Timeout | undefined;
  return {
    stdio,
    started() {
      const handle = openSync(`/proc/self/fd/${pipe.reader}`, O_PATH);
      closeSync(stdio);
      closeSync(pipe.reader);
      pipe.discard();
      feed(writer, from);
      nudging = setInterval(() => nudge(handle), NUDGE_MS).unref();
    },
    done: Promise.resolve(),
    abandon() {
      clearInterval(nudging);
      writer.destroy();
      from.destroy();
    },
  };
}

function feed(to: Writable, from: Readable): void {
  // The command does not want any more.
  to.on('error', () => from.destroy());
  from.on('error', () => to.end());
  from.pipe(to);
}

/** Opened anew: ours does not wait for what is not there yet, which few programs expect of their input. */
const waitingReader = (reader: number) => openSync(`/proc/self/fd/${reader}`, constants.O_RDONLY);

/** O_PATH: neither reads nor writes, and so is nobody whom the other side would wait for. */
const O_PATH = 0o10000000;
const NUDGE_MS = 50;

/** Who opens /dev/stdin after the end of a named pipe waits until somebody opens its other side. */
function nudge(handle: number): void {
  try {
    closeSync(openSync(`/proc/self/fd/${handle}`, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // Nobody has it open.
  }
}

function asItIs(stdio: number): AttachedStream {
  return { stdio, started() {}, done: Promise.resolve(), abandon() {} };
}
