import { spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A pipe that a process gets as both its stdout and its stderr. With the two sockets that Node would make, the order of
 * the output is lost and `> /dev/stderr` fails.
 */
export interface OutputPipe {
  readonly reader: number;
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

/**
 * Creates the pipes of an environment. They are named pipes in `directory`, unlinked at once and opened again through
 * /proc.
 */
export function createOutputPipes(directory: string): OutputPipes {
  const free: number[] = [];
  let filling: Promise<void> | undefined;
  let usable = process.platform === 'linux';
  let closed = false;

  async function fill(): Promise<void> {
    try {
      const made = await makeNamedPipes(directory);
      if (closed) for (const descriptor of made) closeSync(descriptor);
      else free.push(...made);
    } catch {
      usable = false;
    }
    filling = undefined;
  }

  function take(base: number): OutputPipe {
    const reader = openSync(`/proc/self/fd/${base}`, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(`/proc/self/fd/${base}`, constants.O_WRONLY);
    const recycle = () => {
      if (closed) closeSync(base);
      else free.push(base);
    };
    return {
      reader,
      writer,
      recycle,
      abandon() {
        closeSync(reader);
        closeSync(writer);
        recycle();
      },
      discard: () => closeSync(base),
    };
  }

  return {
    async acquire() {
      while (usable && !closed) {
        const base = free.pop();
        if (base !== undefined) return take(base);
        filling ??= fill();
        await filling;
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

async function makeNamedPipes(directory: string): Promise<number[]> {
  const folder = mkdtempSync(join(directory, 'oxbow-'));
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    await run('mkfifo', ['-m', '600', ...paths]);
    return paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // Not the user's PATH, which may lead into the workspace.
    const child = spawn(program, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' } });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${program} exited with ${code}`))));
  });
}
