import { type BigIntStats, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ToolFailure } from '../../base/errors.ts';
import { readProcFile } from '../process/read-proc-file.ts';
import { isShortage } from '../process/spawn-failure.ts';
import { openFolder } from './landlock/open-folder.ts';

/**
 * A stub is an empty folder that stands for a protected name without an entry, since a mount needs a folder to cover.
 * Stubs are on the disk while commands run. All threads of this process share them: removing a stub would uncover the
 * name in every sandbox that covers it.
 */
interface Stub {
  /** Identity of the folder on the disk. */
  readonly identity: string;
  holders: number;
}

const stubs = new Map<string, Stub>();

export interface HeldStubs {
  /** Existing stubs. A name that no process can create needs no stub. */
  readonly paths: readonly string[];
  release(): void;
}

/** Makes the folders, or shares existing stubs. Throws `ToolFailure` where a name cannot be kept from commands. */
export function holdStubs(paths: readonly string[]): HeldStubs {
  const held = paths.filter(hold);
  let released = false;
  return {
    paths: held,
    release() {
      if (released) return;
      released = true;
      for (const path of held) {
        const stub = stubs.get(path);
        if (stub !== undefined) stub.holders -= 1;
      }
      if (held.length > 0) removeLater();
    },
  };
}

/** Reports whether a path is one of our stubs. */
export function isStub(path: string): boolean {
  const stub = stubs.get(path);
  return stub !== undefined && isStill(path, stub);
}

/** Deletes stubs that no command needs, if they are still the empty folders that we made. */
export function removeIdleStubs(): void {
  const idle = [...stubs].filter(([, stub]) => stub.holders === 0);
  if (idle.length === 0) return;
  const covered = coveredByOthers();
  for (const [path, stub] of idle) {
    if (covered.some((mounts) => mounts.includes(` ${escapeMountPath(path)} `))) continue;
    stubs.delete(path);
    removeEmpty(path, stub);
  }
}

/** Delay before the removal, since the next command would make the stubs again. */
const IDLE_MS = 1000;
let removal: NodeJS.Timeout | undefined;

function removeLater(): void {
  clearTimeout(removal);
  removal = setTimeout(removeIdleStubs, IDLE_MS).unref();
}

function hold(path: string): boolean {
  const known = stubs.get(path);
  if (known !== undefined && isStill(path, known)) {
    known.holders += 1;
    return true;
  }
  try {
    const identity = inFolder(path, (entry) => {
      mkdirSync(entry, { mode: 0o755 });
      return identityOf(lstatSync(entry, { bigint: true }));
    });
    stubs.set(path, { identity, holders: 1 });
    return true;
  } catch (error) {
    return answerTo(error as NodeJS.ErrnoException, path);
  }
}

/** Acts on a path through its folder. Throws where the folder lies behind a link: a command may have made one. */
function inFolder<T>(path: string, act: (entry: string) => T): T {
  const folder = openFolder(dirname(path));
  try {
    return act(folder.entry(basename(path)));
  } finally {
    folder.close();
  }
}

/**
 * Reports that a stub is not needed where we may not make one: commands may not either. Throws the error where the
 * system lacks something for now, and `ToolFailure` otherwise.
 */
function answerTo(error: NodeJS.ErrnoException, path: string): boolean {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) return false;
  if (isShortage(error)) throw error;
  throw new ToolFailure(
    'permission',
    `The command was not run: ${path} could not be kept from it (${error.message}). Try again, or run it without a sandbox.`,
    { cause: error },
  );
}

function isStill(path: string, { identity }: Stub): boolean {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && identityOf(stat) === identity;
}

/**
 * Returns the identity of a folder. It contains the time of creation, since the inode number of a deleted folder may
 * soon belong to another.
 */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function removeEmpty(path: string, stub: Stub): void {
  try {
    inFolder(path, (entry) => isStill(entry, stub) && rmdirSync(entry));
  } catch {
    // The folder is in use: something was put into it. Or its own folder is gone.
  }
}

/** Returns the mounts of every sandbox, including those of other programs. */
function coveredByOthers(): string[] {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.filter((pid) => readProcFile(`/proc/${pid}/comm`) === 'bwrap\n').map(readMounts);
}

function readMounts(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
  } catch {
    // The process has ended, or belongs to another user and covers the name with its own rights.
    return '';
  }
}

/** Escapes a path as the kernel does in its tables. */
function escapeMountPath(path: string): string {
  return path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
