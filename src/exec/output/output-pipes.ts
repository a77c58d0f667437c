import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openForSocket, type SocketDescriptor } from '../../node-internals/open-for-socket.ts';
import { isShortage } from '../process/spawn-failure.ts';

/**
 * A pipe that a process gets as both its stdout and its stderr. With the two sockets that Node would make, the order of
 * the output is lost and `> /dev/stderr` fails.
 */
export interface OutputPipe {
  readonly reader: SocketDescriptor;
  /** The caller closes it once the process has it. */
  readonly writer: number;
  /** Returns the pipe for the next process. It must be empty, both ends closed, and held by no process. */
  recycle(): void;
  /** Closes both ends. Called when no process was started with the pipe. */
  abandon(): void;
  /** Drops the pipe. Called when a process may still hold it. */
  discard(): void;
}

export interface OutputPipes {
  /** Returns undefined where such pipes cannot be made. */
  acquire(): Promise<OutputPipe | undefined>;
  /** Makes pipes in advance. */
  prepare(): void;
  /** Closes the free pipes. Resolves when no pipe is being made. */
  close(): Promise<void>;
}

const BATCH = 8;
const MAX_FREE = 2 * BATCH;

/** The folders in which pipes may be named. */
export interface PipePlaces {
  /** Oxbow's home, which commands cannot change. */
  readonly home: string | undefined;
  /** The folder for temporary files, where there is no home that can be written to. */
  readonly temporary: string;
}

/**
 * Creates pipes. They are named pipes in a folder of their own, unlinked at once and opened again
 * through /proc.
 */
export function createOutputPipes(places: PipePlaces): OutputPipes {
  const free: number[] = [];
  let filling: Promise<boolean> | undefined;
  let usable = process.platform === 'linux';
  let closed = false;

  async function fill(): Promise<boolean> {
    try {
      const made = await makeNamedPipes(places);
      if (closed) for (const descriptor of made) closeSync(descriptor);
      else free.push(...made);
      return true;
    } catch (error) {
      usable = isShortage(error);
      return false;
    } finally {
      filling = undefined;
    }
  }

  function recycle(base: number): void {
    if (closed || free.length >= MAX_FREE) closeSync(base);
    else free.push(base);
  }

  return {
    async acquire() {
      while (usable && !closed) {
        const base = free.pop();
        if (base !== undefined) {
          const pipe = await openEnds(base, () => recycle(base));
          usable = pipe !== undefined;
          return pipe;
        }
        filling ??= fill();
        if (!(await filling)) break;
      }
      return undefined;
    },
    prepare() {
      if (usable && !closed && free.length === 0) filling ??= fill();
    },
    async close() {
      closed = true;
      for (const descriptor of free.splice(0)) closeSync(descriptor);
      await filling;
    },
  };
}

/** Opens both ends of a free pipe; undefined where our end cannot be read. Throws the errors of the system. */
async function openEnds(base: number, recycle: () => void): Promise<OutputPipe | undefined> {
  const path = `/proc/self/fd/${base}`;
  let reader: SocketDescriptor | undefined;
  try {
    reader = await openForSocket(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (reader !== undefined) return pipeOf(base, reader, openSync(path, constants.O_WRONLY), recycle);
  } catch (error) {
    reader?.close();
    recycle();
    throw error;
  }
  recycle();
  return undefined;
}

function pipeOf(base: number, reader: SocketDescriptor, writer: number, recycle: () => void): OutputPipe {
  return {
    reader,
    writer,
    recycle,
    abandon() {
      reader.close();
      closeSync(writer);
      recycle();
    },
    discard: () => closeSync(base),
  };
}

/**
 * Makes the pipes through a descriptor of their folder, since a running command may be able to replace every name on
 * the way: in the folder for temporary files it can.
 */
async function makeNamedPipes(places: PipePlaces): Promise<number[]> {
  const path = makeFolder(places);
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const names = Array.from({ length: BATCH }, (_, index) => String(index));
  try {
    const entries = names.map((name) => `/proc/self/fd/3/${name}`);
    await run('mkfifo', ['-m', '600', ...entries], folder);
    return openPipes(names.map((name) => `/proc/self/fd/${folder}/${name}`));
  } finally {
    for (const name of names) ignoreFailure(() => unlinkSync(`/proc/self/fd/${folder}/${name}`));
    closeSync(folder);
    ignoreFailure(() => rmdirSync(path));
  }
}

function makeFolder({ home, temporary }: PipePlaces): string {
  try {
    if (home !== undefined) return mkdtempSync(join(home, '.pipes-'));
  } catch {
    // There is no home yet, or it is read-only.
  }
  return mkdtempSync(join(temporary, 'oxbow-'));
}

function openPipes(paths: readonly string[]): number[] {
  const opened: number[] = [];
  try {
    for (const path of paths) {
      const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
      opened.push(pipe);
      const stat = fstatSync(pipe);
      if (!stat.isFIFO() || stat.nlink !== 1 || stat.uid !== process.geteuid?.())
        throw new Error(`${path} is not the pipe that was made`);
    }
    return opened;
  } catch (error) {
    opened.forEach(closeSync);
    throw error;
  }
}

function ignoreFailure(action: () => void): void {
  try {
    action();
  } catch {
    // Another process has removed it, or put something into it.
  }
}

/** Runs a program to its end. It gets the folder as descriptor 3. */
function run(program: string, args: readonly string[], folder: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Not the user's PATH, which may lead into the workspace.
    const env = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' };
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'ignore', folder], env });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${program} exited with ${code}`))));
  });
}
