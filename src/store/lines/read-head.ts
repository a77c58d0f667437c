import { closeSync, openSync, readSync } from 'node:fs';
import { lineHead } from '../../log/line-head.ts';
import { createThreadHead, type ThreadHead } from '../../log/thread-head.ts';

const BLOCK_BYTES = 64 * 1024;
/** A first message with large images may end after this limit. The thread then has no preview. */
const MOST_BYTES = 1024 * 1024;

/** Reads the beginning of a rollout, only as far as its head needs. Throws if the file cannot be read. */
export function readHead(path: string): ThreadHead {
  const fold = createThreadHead();
  for (const text of firstLines(path)) if (fold.see(text)) break;
  return fold.head;
}

function* firstLines(path: string): Generator<string> {
  const fd = openSync(path, 'r');
  try {
    let bytes = Buffer.alloc(0);
    for (let total = 0; total < MOST_BYTES; ) {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      const read = readSync(fd, block, 0, BLOCK_BYTES, total);
      if (read === 0) return;
      total += read;
      bytes = Buffer.concat([bytes, block.subarray(0, read)]);
      let start = 0;
      for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
        if (mayTell(bytes, start, end)) yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      bytes = bytes.subarray(start);
    }
  } finally {
    closeSync(fd);
  }
}

/** Reports whether a line may be about the head. The first line is long, and is not. */
function mayTell(bytes: Buffer, start: number, end: number): boolean {
  const head = lineHead(bytes, start, end);
  return head === undefined || TELLING.has(head.type);
}

const TELLING: ReadonlySet<string> = new Set(['turn_context', 'response_item', 'compacted']);
