import { spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A pipe that a process gets as both its stdout and its stderr. Node itself can only give it two sockets, which loses
 * the order of what it prints and makes `> /dev/stderr` fail.
 */
export interface OutputPipe {
  readonly reader: number;
  /** Ours to close once the process has it. */
  readonly writer: number;
  /** The pipe is empty and no process holds it: it may serve another. Both ends must be closed by now. */
  recycle(): void;
  /** No process was started with it: closes both ends. */
  abandon(): void;
  /** Somebody may still hold it: it must not serve another. */
  discard(): void;
}

export interface OutputPipes {
  /** Undefined where such pipes cannot be made. */
  acquire(): Promise<OutputPipe | undefined>;
  /** Makes pipes in advance. */
  prepare(): void;
  /** Closes the pipes that are free. Resolves when none is being made any more. */
  close(): Promise<void>;
}

const BATCH = 8;

/** Makes pipes as named ones in `directory` and unlinks them at once; later ones are opened again through /proc. */
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
