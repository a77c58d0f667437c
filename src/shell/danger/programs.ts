/** Check that returns why a program with these words is dangerous. Undefined: it is not. */
type Check = (words: readonly string[], name: string) => string | undefined;

/** Finds `rm -f` in any form, as Codex does. */
const deletesByForce: Check = (words) => {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const forced = options.some((word) => /^-[^-]*f/.test(word) || /^--f(?:o(?:r(?:ce?)?)?)?$/.test(word));
  return forced ? 'rm -f deletes without asking' : undefined;
};

/**
 * Further checks that Codex does not have. They cover only actions that cannot be undone and that every user would want
 * to be asked about: a long list would teach people to say yes.
 */
const FURTHER: Readonly<Record<string, Check>> = {
  blkdiscard: erasesDisk,
  chgrp: changesSystem,
  chmod: changesSystem,
  chown: changesSystem,
  dd: (words) => (words.some(isDeviceOutput) ? 'dd writes straight to a device' : undefined),
  halt: stopsMachine,
  mkswap: erasesDisk,
  poweroff: stopsMachine,
  reboot: stopsMachine,
  rm: (words) =>
    isRecursive(words) && words.some(isSystemFolder) ? 'rm -r deletes a folder of the system or your home' : undefined,
  shred: () => 'shred destroys files for good',
  shutdown: stopsMachine,
  wipefs: erasesDisk,
};

/** Returns why this program with these words is dangerous by itself, apart from the commands that it starts. */
export const findDangerousProgram: Check = (words, name) => {
  if (name === 'rm') {
    const forced = deletesByForce(words, name);
    if (forced !== undefined) return forced;
  }
  if (name.startsWith('mkfs')) return erasesDisk(words, name);
  return Object.hasOwn(FURTHER, name) ? FURTHER[name]?.(words, name) : undefined;
};

/** Reports whether writing to this file writes to a disk beneath its file system. */
export function isDisk(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk|md\d|dm-|mapper\/|loop)/.test(path);
}

function erasesDisk(_words: readonly string[], name: string): string {
  return `${name} erases what is on a disk`;
}

function stopsMachine(_words: readonly string[], name: string): string {
  return `${name} stops the machine`;
}

function isDeviceOutput(word: string): boolean {
  return word.startsWith('of=') && isDisk(word.slice(3));
}

function changesSystem(words: readonly string[], name: string): string | undefined {
  if (!isRecursive(words) || !words.some(isSystemFolder)) return undefined;
  return `${name} -R changes a folder of the system or your home`;
}

function isRecursive(words: readonly string[]): boolean {
  return words.some((word) => /^-[^-]*[rR]/.test(word) || /^--rec/.test(word));
}

/** Reports whether a word is `/`, `/*`, `/etc`, `~`, `$HOME` or the like. Deeper paths are not. */
function isSystemFolder(word: string): boolean {
  return /^(?:\/(?:\*|bin|boot|dev|etc|home|lib\w*|opt|proc|root|sbin|srv|sys|usr|var|Applications|Library|System|Users)?|~|\$\{?HOME\}?)(?:\/\*?)?$/.test(
    word,
  );
}
