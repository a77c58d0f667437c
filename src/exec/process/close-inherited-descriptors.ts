import { closeSync, existsSync, readdirSync } from 'node:fs';
import { readProcFile } from './read-proc-file.ts';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the descriptors above 2 that the parent process left open. A command that inherits one could reach a folder or
 * file through it from inside any sandbox. To be called once, at the start of the program. Descriptors of Node itself
 * are closed on exec and stay open here. `keep` is the channel to a parent process, if there is one.
 */
export function closeInheritedDescriptors(keep?: number): void {
  if (!existsSync('/proc/self/fdinfo')) return;
  for (const name of readdirSync('/proc/self/fd')) {
    const descriptor = Number(name);
    if (descriptor > 2 && descriptor !== keep && isInheritable(descriptor)) closeSync(descriptor);
  }
}

/** Reports whether a process that we start would inherit a descriptor. */
export function isInheritable(descriptor: number): boolean {
  // Undefined for the descriptor that listed the folder, which is closed by now.
  const info = readProcFile(`/proc/self/fdinfo/${descriptor}`);
  const flags = info === undefined ? undefined : /^flags:\s*([0-7]+)/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
