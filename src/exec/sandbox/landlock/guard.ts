import { dirname } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { putBack } from './put-back.ts';
import { type Remembered, rememberTree } from './remember-tree.ts';

/**
 * A guard restores protected paths that commands have changed. Landlock cannot protect them: it allows a folder with
 * everything in it, or not at all. A change lasts while its command runs.
 */
export interface Guard {
  /** Remembers paths before a command. Returns the paths that are too large to be guarded. */
  begin(paths: readonly string[]): readonly string[];
  /** Restores changed paths after a command, with a note for each. Called once for each `begin`. */
  end(): void;
}

export function createGuard(onNote: (note: string) => void): Guard {
  const remembered = new Map<string, Remembered>();
  let running = 0;

  function check(path: string, tree: Remembered): void {
    try {
      const aside = putBack(path, tree);
      if (aside !== undefined) onNote(changedNote(path, aside));
    } catch (error) {
      onNote(lostNote(path, messageOf(error)));
    }
  }

  return {
    begin(paths) {
      // While another command runs, its changes must not count as the original state.
      if (running === 0) remembered.clear();
      running += 1;
      return paths.filter((path) => {
        if (remembered.has(path)) return false;
        const tree = rememberTree(path);
        if (tree !== undefined) remembered.set(path, tree);
        return tree === undefined;
      });
    },
    end() {
      running -= 1;
      for (const [path, tree] of remembered) check(path, tree);
    },
  };
}

function changedNote(path: string, aside: string): string {
  return (
    `A command changed ${path}, which the sandbox does not allow. It was put back as it was before` +
    `${aside === '' ? '' : `; the changed files are in ${aside}`}.`
  );
}

function lostNote(path: string, why: string): string {
  return `A command changed ${path}, which the sandbox does not allow, and it could not be put back: ${why}. Look at ${dirname(path)} before you run git there.`;
}
