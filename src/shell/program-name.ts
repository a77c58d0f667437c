/** Folders that neither a repository nor a command in the sandbox can put programs into. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  '/bin',
  '/usr/bin',
  '/sbin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/run/current-system/sw/bin',
]);

/** What a program is called when it is named alone or by its place in a folder of the system, otherwise undefined. */
export function systemProgram(word: string): string | undefined {
  const slash = word.lastIndexOf('/');
  if (slash === -1) return word === '' ? undefined : word;
  return SYSTEM_FOLDERS.has(word.slice(0, slash)) ? word.slice(slash + 1) || undefined : undefined;
}

/** The last part of a program's path, wherever it lies. */
export function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}
