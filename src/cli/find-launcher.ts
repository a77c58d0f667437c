import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Where systems install bubblewrap, and what starts commands under Landlock where it is missing. */
const SYSTEM_PROGRAM = '/usr/bin/bwrap';
const PERL = '/usr/bin/perl';

/** A program that can confine commands, if there is one; whether this machine lets it work is seen when a command runs. */
export function findLauncher(path = ''): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folders = path.split(':').filter(isAbsolute);
  const bubblewraps = [SYSTEM_PROGRAM, ...folders.map((folder) => join(folder, 'bwrap'))];
  const found = bubblewraps.find((program) => existsSync(program));
  return found ?? (existsSync(PERL) ? `${PERL} (Landlock; bubblewrap protects more)` : undefined);
}

/** What to do where there is none. */
export function launcherAdvice(): string {
  return process.platform === 'linux'
    ? 'apt, dnf or pacman install bubblewrap'
    : 'only Linux has a sandbox that was tried so far: use a container, or --sandbox danger-full-access';
}
