import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { ConnectOpts, SocketConstructorOpts } from 'node:net';
import { ReadStream } from 'node:tty';
import type { TerminalSize } from '../../base/environment.ts';
import type { PtyBinding } from '../../node-internals/load-pty-binding.ts';
import type { Channel } from '../output/channel.ts';
import type { OutputEvents } from '../output/read-output.ts';
import { hideTerminal } from '../process/terminal-descriptors.ts';
import { createKeyboard } from './create-keyboard.ts';
import { loadBinding } from './load-binding.ts';

/** Size of the window at the start. */
const FIRST_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** Opens a terminal for one process. Throws `ToolFailure` where terminals are unavailable, and errors of the system. */
export async function openPty(): Promise<Channel> {
  const binding = await loadBinding();
  const { master, slave, pty } = binding.open(FIRST_SIZE.columns, FIRST_SIZE.rows);
  const unhide = hideTerminal(master);
  try {
    // Opens the terminal a second time. The descriptor of the native code is non-blocking, and every process would
    // inherit it.
    const inner = openSync(pty, constants.O_RDWR | constants.O_NOCTTY);
    return channelOf({ master, inner, path: pty, binding, unhide });
  } catch (error) {
    unhide();
    closeSync(master);
    throw error;
  } finally {
    closeSync(slave);
  }
}

interface OpenedPty {
  readonly master: number;
  readonly inner: number;
  readonly path: string;
  readonly binding: PtyBinding;
  unhide(): void;
}

function channelOf({ master, inner, path, binding, unhide }: OpenedPty): Channel {
  let stream: ReadStream | undefined;
  let isAbandoned = false;
  // The descriptor of a closed terminal may belong to something else.
  const isOpen = () => !isAbandoned && stream?.destroyed !== true;
  return {
    inner,
    keyboard: {
      path,
      write: createKeyboard(master, isOpen),
      resize({ columns, rows }) {
        if (isOpen()) binding.resize(master, columns, rows);
      },
    },
    // Not closed before the process has exited: libuv stops reading as soon as no process has this side open.
    handedOver: () => undefined,
    read(whenExited, events) {
      const reading = readPty(master, events);
      stream = reading;
      reading.once('close', unhide);
      whenExited(() => {
        if (isOpen()) readRest(master, events);
        closeSync(inner);
        // Another process may still have the terminal open.
        if (isOpen() && readRest(master, events) === 'closed') reading.destroy();
      });
      return reading;
    },
    abandon() {
      isAbandoned = true;
      unhide();
      closeSync(inner);
      closeSync(master);
    },
  };
}

/** Block that all reads share. Bytes to keep are copied out of it. */
const readBlock = Buffer.allocUnsafe(64 * 1024);

function readPty(master: number, events: OutputEvents): ReadStream {
  const options: SocketConstructorOpts & ConnectOpts = {
    onread: {
      buffer: readBlock,
      callback(length, bytes) {
        events.data(bytes.subarray(0, length));
        return true;
      },
    },
  };
  const stream = new ReadStream(master, options);
  stream.once('close', () => events.outputEnded());
  // Once no process has the terminal open, the system reports the error EIO. 'close' follows.
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}

/** More than the kernel buffers. Later bytes were printed after the exit. */
const REST_LIMIT = 4 * 1024 * 1024;

/** Reads the output that is there, and reports whether a process still has the terminal open. */
function readRest(master: number, events: OutputEvents): 'closed' | 'open' {
  try {
    for (let total = 0; total < REST_LIMIT; ) {
      const length = readSync(master, readBlock);
      events.data(readBlock.subarray(0, length));
      total += length;
    }
    return 'open';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 'open' : 'closed';
  }
}
