import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Launch } from '../process/launch.ts';

/**
 * Returns the launch with an end that notes each folder that has become a repository without `.git`. Its entries have
 * everyday names, so they cannot be kept from commands. But git in that folder would obey its settings and run its
 * hooks.
 */
export function noteBareRepositories(
  launch: Launch,
  folders: readonly string[],
  onNote: (note: string) => void,
): Launch {
  const plain = folders.filter((folder) => !isBareRepository(folder));
  return {
    ...launch,
    end() {
      launch.end();
      for (const folder of plain.filter(isBareRepository)) onNote(bareNote(folder));
    },
  };
}

/** Reports whether git takes a folder itself for a repository. */
function isBareRepository(folder: string): boolean {
  const has = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  try {
    return has('HEAD') && has('objects') && has('refs') && !has('.git/HEAD');
  } catch {
    // The root, or .git in it, is a file.
    return false;
  }
}

function bareNote(folder: string): string {
  return (
    `A command made ${folder} a repository of its own: git there would obey ${join(folder, 'config')} and run what it names. ` +
    `Look at that file before you run git in ${folder}.`
  );
}
