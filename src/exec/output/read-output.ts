import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { OutputPipe } from './output-pipes.ts';

export interface OutputEvents {
  /** Called with bytes that are valid only during the call. */
  data(bytes: Uint8Array): void;
  /** Called when no process holds the output. */
  outputEnded(): void;
}

/** Block that all reads share. Bytes to keep are copied out of it. */
const readBlock = Buffer.allocUnsafe(64 * 1024);

/**
 * Reads a pipe to its end, and recycles the pipe once the process has exited as well. `whenExited` calls back at the
 * exit.
 */
export function readOutput(pipe: OutputPipe, whenExited: (then: () => void) => void, events: OutputEvents): Socket {
  const options: SocketConstructorOpts & ConnectOpts = {
    fd: pipe.reader.release(),
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
    else whenExited(() => pipe.recycle());
    events.outputEnded();
  });
  // A failed read ends the output. 'close' follows.
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}
