import { closeSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';

/** An open file that may be handed to a socket. */
export interface SocketDescriptor {
  readonly fd: number;
  /** Returns the number for a socket, which closes it from then on. */
  release(): number;
  /** Closes a file that was not released. */
  close(): void;
}

/**
 * Opens a file whose descriptor a socket may own; undefined where Node has no way to do so. Throws the errors of `open`.
 *
 * Node remembers every number that `openSync` returns in a worker until `closeSync`, and closes the rest when the worker
 * ends. It knows nothing of a socket that has closed its number, and would close the file that another thread has there
 * by then. The number of a `FileHandle` is not remembered, and `releaseFD` of its native object, which is not documented,
 * makes the handle forget it. The main thread does not need it, and opens without a detour through the thread pool.
 */
export function openForSocket(path: string, flags: number): SocketDescriptor | Promise<SocketDescriptor | undefined> {
  if (!isMainThread) return openInWorker(path, flags);
  const fd = openSync(path, flags);
  return { fd, release: () => fd, close: () => closeSync(fd) };
}

async function openInWorker(path: string, flags: number): Promise<SocketDescriptor | undefined> {
  const file = await open(path, flags);
  const { fd } = file;
  const native = nativeOf(file);
  const close = () => void file.close().catch(() => undefined);
  if (native === undefined) {
    close();
    return undefined;
  }
  const release = () => {
    native.releaseFD();
    return fd;
  };
  return { fd, release, close };
}

function nativeOf(file: FileHandle): { releaseFD(): void } | undefined {
  const values = Object.getOwnPropertySymbols(file).map((name): unknown => Reflect.get(file, name));
  return values.find(
    (value): value is { releaseFD(): void } =>
      typeof value === 'object' && value !== null && 'releaseFD' in value && typeof value.releaseFD === 'function',
  );
}
