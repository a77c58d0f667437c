import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Where systems install it. */
const SYSTEM_PROGRAM = '/usr/bin/bwrap';

/** Where bubblewrap is installed, if it is; whether this machine lets it work is seen only when a command runs. */
export function findBubblewrap(path = ''): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = path.split(':').filter(isAbsolute);
  return [SYSTEM_PROGRAM, ...folders.map((folder) => join(folder, 'bwrap'))].find((program) => existsSync(program));
}

/** What to do where there is no bubblewrap. */
export function bubblewrapAdvice(): string {
  return process.platform === 'linux'
    ? 'apt, dnf or pacman install bubblewrap'
    : 'only Linux has a sandbox so far: use a container, or --sandbox danger-full-access';
}
