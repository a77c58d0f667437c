import { type ConnectOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { OutputPipe } from './output-pipes.ts';

export interface OutputEvents {
  /** The bytes are only valid during the call. */
  data(bytes: Uint8Array): void;
  /** No process holds the output any more. */
  outputEnded(): void;
}

/** One block for all reads: what is kept is copied out of it. */
const readBlock = Buffer.allocUnsafe(64 * 1024);

/** Reads a pipe to its end. It may serve another process when the one that had it has ended, which `whenExited` tells. */
export function readOutput(pipe: OutputPipe, whenExited: (then: () => void) => void, events: OutputEvents): Socket {
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
    else whenExited(() => pipe.recycle());
    events.outputEnded();
  });
  // A failed read ends the output like any other end; 'close' follows.
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}
