import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Usual path of bubblewrap, and the program that starts commands under Landlock without it. */
const SYSTEM_PROGRAM = '/usr/bin/bwrap';
const PERL = '/usr/bin/perl';

/**
 * Returns the path of a program that can confine commands. Whether it works on this machine shows when a command runs.
 */
export function findLauncher(path = ''): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = path.split(':').filter(isAbsolute);
  const bubblewraps = [SYSTEM_PROGRAM, ...folders.map((folder) => join(folder, 'bwrap'))];
  const found = bubblewraps.find((program) => existsSync(program));
  return found ?? (existsSync(PERL) ? `${PERL} (Landlock; bubblewrap protects more)` : undefined);
}

/** Returns advice for a machine without such a program. */
export function launcherAdvice(): string {
  return process.platform === 'linux'
    ? 'install bubblewrap with apt, dnf or pacman'
    : 'only the sandbox for Linux has been tested so far: use a container, or --sandbox danger-full-access';
}
