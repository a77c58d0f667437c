import { dirname } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { putBack } from './put-back.ts';
import { type Remembered, rememberTree } from './remember-tree.ts';

/**
 * Puts back what commands change in protected paths, where Landlock cannot keep them from it: it allows a folder with all
 * that is in it, or not at all. While a command runs the change is there.
 */
export interface Guard {
  /** Before a command. Gives the paths that hold too much to be guarded. */
  begin(paths: readonly string[]): readonly string[];
  /** After a command: puts back what differs, and tells. Once for each `begin`. */
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
      // What a command that still runs has changed must not count as how it was.
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
