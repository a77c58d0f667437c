import type { Socket } from 'node:net';
import { hangUp } from './connection.ts';
import { createHeadReader, type ReadHead } from './read-head.ts';

interface TunnelRequest {
  /** Host and port. */
  readonly target: string;
  /** Header line for the proxy, or an empty text. */
  readonly authorization: string;
}

/**
 * Asks a proxy for a tunnel. Resolves with its answer; the socket leads to the target if the status is below 300. Rejects
 * and leaves no socket open if there is no answer, or with the signal's reason when the signal aborts first.
 */
export function openTunnel(
  socket: Socket,
  { target, authorization }: TunnelRequest,
  signal: AbortSignal,
): Promise<ReadHead> {
  const readHead = createHeadReader();
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    let fault: Error | undefined;
    const onAbort = () => void socket.destroy(signal.reason);
    const onError = (error: Error) => {
      fault = error;
    };
    const onEnd = () => void socket.destroy();
    const onClose = () => {
      leave();
      reject(fault ?? hangUp());
    };
    const onData = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      try {
        const answer = finalHead(readHead, held);
        if (answer === undefined) return;
        leave();
        socket.pause();
        if (answer.end < held.length) socket.unshift(held.subarray(answer.end));
        resolve(answer.head);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    const leave = () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
    };
    signal.addEventListener('abort', onAbort);
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    if (signal.aborted) onAbort();
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`);
  });
}

/** Returns the first head that is more than an announcement (1xx), and its end; undefined as long as it is not whole. */
function finalHead(readHead: ReturnType<typeof createHeadReader>, bytes: Buffer): ReturnType<typeof readHead> {
  let at = 0;
  for (;;) {
    const read = readHead(bytes, at);
    if (read === undefined || read.head.status >= 200) return read;
    at = read.end;
  }
}
