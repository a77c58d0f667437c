/** Folders in which neither a repository nor a command in the sandbox can put programs. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  '/bin',
  '/usr/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
]);

/**
 * Returns the name of a program that is named alone or by its path in a folder of the system. Undefined for other
 * paths.
 */
export function systemProgram(word: string): string | undefined {
  const slash = word.lastIndexOf('/');
  if (slash === -1) return word === '' ? undefined : word;
  return SYSTEM_FOLDERS.has(word.slice(0, slash)) ? word.slice(slash + 1) || undefined : undefined;
}

/** Returns the last part of a program's path, in any folder. */
export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
