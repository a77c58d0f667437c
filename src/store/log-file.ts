import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LARGEST_BYTES = 10 * 1024 * 1024;

/** A log for people, one line at a time. A log that cannot be written is no reason to fail. */
export interface LogFile {
  write(line: string): void;
  close(): void;
}

/** `log/oxbow.log` below the home. One that has grown too long becomes `oxbow.log.1`. */
export function openLogFile(home: string): LogFile {
  const path = join(home, 'log', 'oxbow.log');
  let fd: number | null | undefined;
  return {
    write(line) {
      fd ??= tryOpen(path);
      if (fd !== null) tryWrite(fd, line);
    },
    close() {
      if (typeof fd === 'number') closeSync(fd);
      fd = null;
    },
  };
}

function tryOpen(path: string): number | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, 'a', 0o600);
    if (fstatSync(fd).size < LARGEST_BYTES) return fd;
    closeSync(fd);
    renameSync(path, `${path}.1`);
    return openSync(path, 'a', 0o600);
  } catch {
    return null;
  }
}

function tryWrite(fd: number, line: string): void {
  try {
    writeSync(fd, `${line}\n`);
  } catch {
    // A full disk must not end a turn.
  }
}
