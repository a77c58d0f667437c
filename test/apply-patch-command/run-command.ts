import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

/** Our `apply_patch`, as commands of the agent find it. */
export const APPLY_PATCH = join(import.meta.dirname, '../../bin/path/apply_patch');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandRun {
  readonly cwd: string;
  readonly args?: readonly string[];
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end. */
export function runCommand(program: string, { cwd, args = [], stdin = '', env = {} }: CommandRun): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', OXBOW_NODE: process.execPath, ...env },
    input: stdin,
  });
  if (error) throw error;
  return { code: status, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** A patch in the format of the tool. */
export function patchOf(...lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
}

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with some files; gone after the test. */
export function makeFolder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-apply-patch-')));
  made.push(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

/** Everything below a folder: bytes of files, targets of links. Folders end in a slash. */
export function readFolder(root: string): Record<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) return [`${name}/`, ''];
    return [name, entry.isSymbolicLink() ? `→ ${readlinkSync(path)}` : readFileSync(path, 'latin1')];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
