import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for commands to read or to damage. */
export interface ScratchTree {
  /** The folder that commands run in, deep enough for a few `cd ..`. */
  readonly cwd: string;
  readonly home: string;
  /** For temporary files of programs. */
  readonly temp: string;
  /**
   * Returns everything in the tree: names, kinds, permissions, times and contents; of `temp`, only the remaining names.
   */
  snapshot(): string;
  dispose(): void;
}

/** Creates a tree with a few files. */
export function createScratchTree(): ScratchTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-scratch-')));
  const cwd = join(root, 'x/y/z');
  const home = join(root, 'home');
  for (const folder of ['sub', 'dash', 'opt']) mkdirSync(join(cwd, folder), { recursive: true });
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-temp-')));
  mkdirSync(home);
  writeFileSync(join(cwd, 'a.txt'), 'alpha\nbeta\nbeta\ngamma, delta\n');
  writeFileSync(join(cwd, 'b.txt'), 'touch new\n1\n2\n');
  writeFileSync(join(cwd, 'sub/c.txt'), 'c\n');
  writeFileSync(join(cwd, 'sub/d.txt'), 'd\n');
  for (const name of ['dash/-delete', 'opt/-onew', 'opt/y', 'sub/1', 'sub/10']) writeFileSync(join(cwd, name), 'y\n');
  writeFileSync(join(cwd, 'touch.sh'), '#!/bin/sh\ntouch new\n', { mode: 0o755 });
  return {
    cwd,
    home,
    temp,
    snapshot: () => [...describe(root), ...readdirSync(temp)].join('\n'),
    dispose: () => {
      for (const folder of [root, temp]) remove(folder);
    },
  };
}

/** Removes a folder. A process in the background may still create files in it. */
function remove(folder: string, tries = 100): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (tries === 0) throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    remove(folder, tries - 1);
  }
}

function describe(path: string): string[] {
  const { mode, size, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
  const isFolder = (Number(mode) & 0o170000) === 0o040000;
  const isFile = (Number(mode) & 0o170000) === 0o100000;
  const content = isFile ? createHash('sha1').update(readFileSync(path)).digest('hex') : '';
  const line = [path, mode, size, mtimeNs, ctimeNs, ino, content].join(' ');
  return [line, ...(isFolder ? readdirSync(path).sort() : []).flatMap((name) => describe(join(path, name)))];
}
