import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import type { OutputPipe, OutputPipes } from '../output/output-pipes.ts';

/** A standard stream of a process, attached to our own. */
export interface AttachedStream {
  readonly stdio: number | 'pipe';
  /** Starts to pass bytes. Called once the process has its end; `own` is our end where Node made the pipe. */
  started(own: Readable | Writable | null): void;
  /** Resolves when all bytes have passed and no process holds the stream. */
  readonly done: Promise<void>;
  /** Stops passing bytes. */
  abandon(): void;
}

/**
 * Attaches an output. The command gets our terminal itself where our own stream is one. Everything else passes through
 * a pipe: a file could be opened again through /proc, and then read, changed and emptied from inside any sandbox.
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
    // Our own output has lost its reader. The command learns that from its pipe.
    to.on('error', () => from.destroy());
    from.pipe(to, { end: false });
  };
  if (pipe !== undefined) read(new Socket({ fd: pipe.reader.release(), readable: true, writable: false }));
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

/** Attaches the input in the same way. */
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
  const stdio = waitingReader(pipe.reader.fd);
  // The number is one of `openSync`, which is right in the main thread only. Commands of the command line run there.
  const writer = new Socket({ fd: pipe.writer, readable: false, writable: true });
  let nudging: NodeJS.Timeout | undefined;
  return {
    stdio,
    started() {
      const handle = openSync(`/proc/self/fd/${pipe.reader.fd}`, O_PATH);
      closeSync(stdio);
      pipe.reader.close();
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
  // The command has closed its input.
  to.on('error', () => from.destroy());
  from.on('error', () => to.end());
  from.pipe(to);
}

/** Opens the pipe a second time. Our own descriptor is non-blocking, which few programs expect of their input. */
const waitingReader = (reader: number) => openSync(`/proc/self/fd/${reader}`, constants.O_RDONLY);

/** Opens with O_PATH, so that the other side does not count it as a reader or writer. */
const O_PATH = 0o10000000;
const NUDGE_MS = 50;

/** Wakes a command that opens /dev/stdin after the end of its input: opening a named pipe waits for a writer. */
function nudge(handle: number): void {
  try {
    closeSync(openSync(`/proc/self/fd/${handle}`, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // No process has the pipe open.
  }
}

function asItIs(stdio: number): AttachedStream {
  return { stdio, started() {}, done: Promise.resolve(), abandon() {} };
}
