import { StringDecoder } from 'node:string_decoder';
import { unfinishedLength } from './head-tail-buffer.ts';

/** Most bytes of a process's output that are passed on while it runs. */
export const LIVE_OUTPUT_LIMIT = 1024 * 1024;

const COALESCE_MS = 50;

/** Output for a watcher: in whole characters, bounded, and in few pieces. */
export interface LiveOutput {
  push(bytes: Uint8Array): void;
  /** Passes on the text that is held back. No bytes may be pushed afterwards. */
  end(): void;
}

/** Creates a live output. It emits the first piece at once, and pieces within `COALESCE_MS` of another together. */
export function createLiveOutput(emit: (text: string) => void, limit: number = LIVE_OUTPUT_LIMIT): LiveOutput {
  const decoder = new StringDecoder('utf8');
  let left = limit;
  let held = '';
  let timer: NodeJS.Timeout | undefined;

  function take(text: string): void {
    if (text === '') return;
    const kept = cut(text, left);
    left = kept === text ? left - Buffer.byteLength(text) : 0;
    held += kept;
  }

  function flush(): void {
    timer = undefined;
    if (held === '') return;
    const text = held;
    held = '';
    if (left > 0) timer = setTimeout(flush, COALESCE_MS);
    emit(text);
  }

  return {
    push(bytes) {
      if (left === 0) return;
      const full = bytes.length >= left;
      take(decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, left))));
      if (full) left = 0;
      if (timer === undefined) flush();
    },
    end() {
      if (left > 0) take(decoder.end());
      left = 0;
      clearTimeout(timer);
      flush();
    },
  };
}

function cut(text: string, limit: number): string {
  // A code unit has at most three bytes.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text).subarray(0, limit);
  return bytes.toString('utf8', 0, bytes.length - unfinishedLength(bytes));
}
