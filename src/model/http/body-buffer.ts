import type { Socket } from 'node:net';

/** Bytes of a body that have come and were not read yet. When too many are waiting, the connection is paused. */
export interface BodyBuffer {
  put(bytes: Uint8Array): void;
  /** Returns all bytes, or the next piece; null when there are none. */
  take(): Uint8Array | null;
  /** Drops all bytes: they will not be read. */
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
