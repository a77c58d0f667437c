import { closeSync, openSync, readSync } from 'node:fs';
import { isFromUser, typedText } from '../base/is-from-user.ts';
import type { Item } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import { isSummary } from '../base/summary.ts';
import { decodeLine } from './rollout-line.ts';

/** What stands near the beginning of a rollout. */
export interface RolloutHead {
  /** The model of the first turn. */
  readonly model: string | null;
  /** The beginning of what the user said first, on one line. */
  readonly preview: string | null;
}

const BLOCK_BYTES = 64 * 1024;
/** A first message with large images may lie beyond this; then there is no preview. */
const MOST_BYTES = 1024 * 1024;
const PREVIEW_CHARACTERS = 200;

/** Reads as much of the beginning as it takes. Throws where the file cannot be read. */
export function readHead(path: string): RolloutHead {
  let model: string | null = null;
  let preview: string | null = null;
  for (const text of firstLines(path)) {
    const line = tryDecode(text);
    if (line?.type === 'turn_context') model ??= stringOr(line.payload.model);
    preview ??= line ? previewOf(line) : null;
    if (model !== null && preview !== null) break;
  }
  return { model, preview };
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
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      bytes = bytes.subarray(start);
    }
  } finally {
    closeSync(fd);
  }
}

function tryDecode(text: string): LogLine | undefined {
  try {
    return decodeLine(text);
  } catch {
    return undefined;
  }
}

function previewOf(line: LogLine): string | null {
  if (line.type === 'response_item') return itemPreview(line.payload);
  if (line.type !== 'compacted') return null;
  for (const item of line.payload.replacement_history ?? []) {
    const preview = isSummary(item) ? null : itemPreview(item);
    if (preview !== null) return preview;
  }
  return null;
}

/** The first words of a message that a user wrote, on one line; null where it is none, or damaged. */
export function itemPreview(item: Item): string | null {
  if (item.type !== 'message' || !Array.isArray(item.content) || !isFromUser(item)) return null;
  const text = typedText(item).replace(/\s+/g, ' ').trim();
  if (text !== '') return [...text.slice(0, 4 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('');
  return item.content.length > 0 ? '[image]' : null;
}

function stringOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
