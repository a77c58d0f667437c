import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';

export interface RulesFile {
  readonly path: string;
  readonly text: string;
}

const LARGEST_BYTES = 1024 * 1024;

/** Returns the `*.rules` files of a folder, sorted by name. Throws `UserError` if one cannot be read. */
export function readRulesFolder(folder: string): RulesFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.rules'));
  return names.sort().map((name) => readRulesFile(join(folder, name)));
}

/**
 * Returns a file of rules, or undefined for a missing file that may be missing. Throws `UserError` if the file cannot
 * be read.
 */
export function readRulesFile(path: string): RulesFile;
export function readRulesFile(path: string, options: { mayBeMissing: true }): RulesFile | undefined;
export function readRulesFile(path: string, options?: { mayBeMissing: true }): RulesFile | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats && options?.mayBeMissing) return undefined;
  if (!stats) throw new UserError('not_found', `There is no file ${path} with rules.`);
  // Reading a pipe would block forever.
  if (!stats.isFile()) throw new UserError('invalid_config', `${path} is not a file with rules.`);
  if (stats.size > LARGEST_BYTES) throw new UserError('invalid_config', `${path} is too long for a file with rules.`);
  try {
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    throw new UserError('storage', `The rules in ${path} cannot be read: ${fileFault(error)}.`);
  }
}

/**
 * Appends a line to a file of rules, unless the file contains it. Only the owner may read the file. The line is written
 * by one write at the end, so that several processes may append at once. Throws `UserError`.
 */
export function appendRule(path: string, line: string, heading: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const fd = openSync(path, 'a+', 0o600);
    try {
      const text = readWhole(fd);
      if (text.split('\n').includes(line)) return;
      const start = text === '' ? `# ${heading}\n` : text.endsWith('\n') ? '' : '\n';
      writeSync(fd, `${start}${line}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new UserError('storage', `The rule cannot be written to ${path}: ${fileFault(error)}.`);
  }
}

function readWhole(fd: number): string {
  const bytes = Buffer.alloc(fstatSync(fd).size);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
}
