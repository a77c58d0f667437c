import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import { formatDay, formatTimeOfDay, type LocalTime } from '../base/local-time.ts';
import type { Log, LogLine } from '../base/log.ts';
import type { World } from '../base/world.ts';
import { readLines } from './read-lines.ts';
import { decodeLine, encodeLine } from './rollout-line.ts';

/**
 * A thread's log as a rollout file in Codex's place and shape. The file appears with its first line. Lines are written
 * synchronously: one small write costs microseconds, and what was appended survives the death of this process.
 */
export function openRollout(path: string, world: World, onFault: (fault: string) => void): Log {
  let fd: number | undefined;
  let ordinal = 0;
  return {
    path,
    async append(line) {
      try {
        fd ??= openForAppend(path);
        writeWhole(fd, encodeLine(line, ordinal++, world.now()));
      } catch (error) {
        throw new UserError(`The thread cannot be kept in ${path}: ${messageOf(error)}. --ephemeral keeps no record.`);
      }
    },
    async *read() {
      for await (const [text, number] of readLines(path)) {
        ordinal = number;
        const line = decodeOrReport(text, number, onFault);
        if (line) yield line;
      }
    },
    resume() {
      return this.read();
    },
    rest() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
    async close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** Where the rollout of a new thread lies below the home: by local date and time, then the thread's id. */
export function rolloutPath(home: string, threadId: string, time: LocalTime): string {
  const day = formatDay(time);
  return join(home, 'sessions', ...day.split('-'), `rollout-${day}T${formatTimeOfDay(time)}-${threadId}.jsonl`);
}

function openForAppend(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, 'a+', 0o600);
  dropHalfLine(fd);
  return fd;
}

/** A writer that died in the middle of a line left half of it; the next line must not grow onto that. */
function dropHalfLine(fd: number): void {
  const chunk = Buffer.alloc(64 * 1024);
  let end = fstatSync(fd).size;
  const size = end;
  while (end > 0) {
    const from = Math.max(0, end - chunk.length);
    const read = readSync(fd, chunk, 0, end - from, from);
    const newline = chunk.subarray(0, read).lastIndexOf(0x0a);
    if (newline >= 0) {
      if (from + newline + 1 < size) ftruncateSync(fd, from + newline + 1);
      return;
    }
    end = from;
  }
  if (size > 0) ftruncateSync(fd, 0);
}

function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

function decodeOrReport(text: string, number: number, onFault: (fault: string) => void): LogLine | undefined {
  try {
    return decodeLine(text);
  } catch (error) {
    onFault(`line ${number} is not JSON and was skipped (${messageOf(error)})`);
    return undefined;
  }
}
