import type { Socket } from 'node:net';

/** What has come of a body and was not taken yet. A connection that brings more than is taken is held up. */
export interface BodyBuffer {
  put(bytes: Uint8Array): void;
  /** Everything, or the next piece; null when there is nothing. */
  take(): Uint8Array | null;
  /** Nobody takes anything any more. */
  drop(): void;
}

const MAX_WAITING_BYTES = 64 * 1024;
const MAX_WAITING_PIECES = 256;

export function createBodyBuffer(socket: Pick<Socket, 'pause' | 'resume'>, isUnjoined: boolean): BodyBuffer {
  let waiting: Uint8Array[] = [];
  let size = 0;
  let isPaused = false;
  const goOn = () => {
    if (isPaused) socket.resume();
    isPaused = false;
  };
  return {
    put(bytes) {
      waiting.push(bytes);
      size += bytes.byteLength;
      if (isPaused || (size < MAX_WAITING_BYTES && waiting.length < MAX_WAITING_PIECES)) return;
      isPaused = true;
      socket.pause();
    },
    take() {
      const [first] = waiting;
      if (first === undefined) return null;
      if (isUnjoined) {
        waiting.shift();
        size -= first.byteLength;
        if (waiting.length === 0) goOn();
        return first;
      }
      const all = waiting.length === 1 ? first : Buffer.concat(waiting, size);
      waiting = [];
      size = 0;
      goOn();
      return all;
    },
    drop() {
      waiting = [];
      size = 0;
      goOn();
    },
  };
}
