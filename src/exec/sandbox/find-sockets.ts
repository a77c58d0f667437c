import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { isInside } from '../../base/guarded-paths.ts';
import type { HiddenPath } from './bubblewrap.ts';
import { canonical } from './writable-paths.ts';

/** Folders whose sockets may come and go. Not all of /run, where some systems have programs. */
const FOLDERS = ['/run/user', '/run/dbus', '/run/systemd', '/tmp/.X11-unix', '/tmp/.ICE-unix'];

/**
 * Returns the paths to hide from commands with unix sockets of their own, so that they reach no socket of the machine
 * that exists now.
 */
export function findSockets(): HiddenPath[] {
  const folders = FOLDERS.filter((path) => existsSync(path)).map((path) => canonical(path) ?? path);
  const sockets = readSocketPaths()
    .map((path) => canonical(path))
    .filter((path) => path !== undefined && isSocket(path) && !folders.some((folder) => isInside(path, folder)));
  return [
    ...folders.map((path) => ({ path, isFolder: true })),
    ...[...new Set(sockets)].map((path) => ({ path: path ?? '', isFolder: false })),
  ];
}

/** Reads the last column of the kernel's table. Abstract sockets, which begin with @, are skipped. */
function readSocketPaths(): string[] {
  const table = readFileSync('/proc/net/unix', 'utf8');
  return [...table.matchAll(/^\S+: \S+ \S+ \S+ \S+ \S+\s+\d+ (\/.*)$/gm)].map(([, path]) => path ?? '');
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}
