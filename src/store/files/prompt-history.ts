import { constants, renameSync } from 'node:fs';
import { type FileHandle, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';

/** The texts that the user sent, in all threads, in the file and the shape of Codex. */
export interface PromptHistory {
  /** Adds a text that was sent in a thread. Resolves also if the home cannot be written to: the text is in its thread. */
  add(text: string, threadId: string): Promise<void>;
  /** Returns the newest texts, newest first, without a text that follows itself. */
  recent(limit: number): Promise<string[]>;
}

/** Options of a history of prompts. */
export interface PromptHistoryOptions {
  readonly home: string;
  /** Bytes that the file may have. Null: any number. */
  readonly maxBytes: number | null;
  /** Milliseconds since 1970. */
  now(): number;
}

const NAME = 'history.jsonl';

/** Bytes that are read from the end of the file to find the newest texts. */
const MOST_READ = 8 * 1024 * 1024;

/** The part of `maxBytes` that is left when the file is cut, so that the next text does not cut it again. */
const KEPT_PART = 0.8;

/** Returns the history of a home. */
export function openPromptHistory({ home, maxBytes, now }: PromptHistoryOptions): PromptHistory {
  const path = join(home, NAME);
  return {
    async add(text, threadId) {
      if (text.trim() === '') return;
      const line = { session_id: threadId, ts: Math.floor(now() / 1000), text };
      try {
        await append(path, `${JSON.stringify(line)}\n`);
        if (maxBytes !== null) await cut(path, maxBytes);
      } catch {
        // The home cannot be written to, and the text is in the rollout file.
      }
    },
    async recent(limit) {
      const texts: string[] = [];
      for (const line of (await readEnd(path, MOST_READ)).toReversed()) {
        if (texts.length >= limit) break;
        const text = textOf(line);
        if (text !== undefined && text !== texts.at(-1)) texts.push(text);
      }
      return texts;
    },
  };
}

/** A history for an agent that keeps none. */
export const NO_PROMPT_HISTORY: PromptHistory = {
  add: async () => undefined,
  recent: async () => [],
};

/** Appends a line in one write, so that lines of other processes stay whole. */
async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, async (file) => {
    const { size } = await file.stat();
    // A process that died in the middle of a line must not spoil this one.
    await file.write(Buffer.from((await endsInLine(file, size)) ? line : `\n${line}`));
  });
}

async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

/** Drops the oldest lines of a file that is too large. The newest line always stays. */
async function cut(path: string, maxBytes: number): Promise<void> {
  const size = await sizeOf(path);
  if (size <= maxBytes) return;
  const lines = await readEnd(path, Math.max(maxBytes, MOST_READ));
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    bytes += Buffer.byteLength(line) + 1;
    if (kept.length > 0 && bytes > maxBytes * KEPT_PART) break;
    kept.push(line);
  }
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, kept.reverse().join('\n').concat('\n'), { mode: 0o600 });
  // A line that another process wrote meanwhile must not be lost: then the next text cuts the file.
  if ((await sizeOf(path)) === size) renameSync(draft, path);
  else await unlink(draft);
}

const sizeOf = (path: string) => withFile(path, constants.O_RDONLY, async (file) => (await file.stat()).size);

/** Returns the whole lines among the last bytes of a file, or none if it cannot be read. */
async function readEnd(path: string, most: number): Promise<string[]> {
  try {
    return await withFile(path, constants.O_RDONLY, async (file) => {
      const { size } = await file.stat();
      const from = Math.max(0, size - most);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
      return (from === 0 ? lines : lines.slice(1)).filter((line) => line !== '');
    });
  } catch {
    return [];
  }
}

async function withFile<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, 0o600);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function textOf(line: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) && typeof entry.text === 'string' && entry.text !== '' ? entry.text : undefined;
  } catch {
    return undefined;
  }
}
