import { type BigIntStats, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { ToolFailure } from '../../base/errors.ts';
import { readProcFile } from '../process/read-proc-file.ts';

/**
 * Empty folders that stand for protected names which nothing has yet: a mount needs something to lie on. They are on the
 * disk while commands run, and for all threads of this process, since to delete one would lay open the name under every
 * sandbox that has it covered.
 */
interface Stub {
  /** Which folder it is. */
  readonly identity: string;
  holders: number;
}

const stubs = new Map<string, Stub>();

export interface HeldStubs {
  /** Those that are there. A name that can be taken by nobody has none. */
  readonly paths: readonly string[];
  release(): void;
}

/** Makes the folders, or takes part in them. Throws `ToolFailure` where a name could not be kept from commands. */
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

/** Whether this is such a folder of ours. */
export function isStub(path: string): boolean {
  const stub = stubs.get(path);
  return stub !== undefined && isStill(path, stub);
}

/** Deletes those that no command needs any more, if they are still the empty folders that we made. */
export function removeIdleStubs(): void {
  const idle = [...stubs].filter(([, stub]) => stub.holders === 0);
  if (idle.length === 0) return;
  const covered = coveredByOthers();
  for (const [path, stub] of idle) {
    if (covered.some((mounts) => mounts.includes(` ${escapeMountPath(path)} `))) continue;
    stubs.delete(path);
    if (isStill(path, stub)) removeEmpty(path);
  }
}

/** A next command would only make them again. */
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
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    return answerTo(error as NodeJS.ErrnoException, path);
  }
  stubs.set(path, { identity: identityOf(lstatSync(path, { bigint: true })), holders: 1 });
  return true;
}

/** What we may not make, a command may not either. */
function answerTo(error: NodeJS.ErrnoException, path: string): boolean {
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code ?? '')) return false;
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

/** With the time at which it was made, since the number of a deleted folder is soon another's. */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Something was put into it: it is somebody's now.
  }
}

/** The mounts of every sandbox, also of other programs like this one. */
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
    // Ended, or another user's, whose sandbox covers the name with rights of its own.
    return '';
  }
}

/** As the kernel writes paths in its tables. */
function escapeMountPath(path: string): string {
  return path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
