import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LARGEST_BYTES = 10 * 1024 * 1024;

/** A log for people, one line at a time. Failures to write are ignored. */
export interface LogFile {
  write(line: string): void;
  close(): void;
}

/**
 * Opens `log/oxbow.log` below the home, or a file of another name there. A log that is too long is renamed to
 * `oxbow.log.1`.
 */
export function openLogFile(home: string, name = 'oxbow.log'): LogFile {
  const path = join(home, 'log', name);
  let fd: number | null | undefined;
  let written = 0;
  return {
    write(line) {
      // Checked at each write, because a program may run for months.
      if (typeof fd === 'number' && written > LARGEST_BYTES) {
        closeSync(fd);
        fd = undefined;
        written = 0;
      }
      fd ??= tryOpen(path);
      if (fd === null) return;
      tryWrite(fd, line);
      written += line.length;
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
