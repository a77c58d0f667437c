import { execFileSync } from 'node:child_process';
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
import { onTestFinished } from 'vitest';
import type { SandboxPolicy } from '../../base/policy.ts';

/** Makes a folder with some files and without links in its path. It is removed after the test. */
export function makeTree(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-files-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

/** Returns everything below a folder: bytes of files, targets of links. Folders end in a slash. */
export function readTree(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const found = entries.map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (entry.isDirectory()) return [`${name}/`, ''];
    return [name, entry.isSymbolicLink() ? `→ ${readlinkSync(path)}` : readFileSync(path, 'latin1')];
  });
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const MKFIFO = 'mkfifo';

export function makePipe(path: string): void {
  execFileSync(MKFIFO, [path]);
}

export const UNCONFINED: SandboxPolicy = { mode: 'danger-full-access', writableRoots: [], network: true };

/** Returns a policy that lets a patch write below one folder. */
export function workspaceOf(root: string): SandboxPolicy {
  return { mode: 'workspace-write', writableRoots: [root], network: false };
}
