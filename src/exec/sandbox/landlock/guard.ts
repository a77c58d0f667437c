import { dirname } from 'node:path';
import { messageOf, ToolFailure } from '../../../base/errors.ts';
import { isInside } from '../../../base/guarded-paths.ts';
import type { Listings } from './git-traps.ts';
import { createJournal, type JournalPlace } from './journal.ts';
import { changedNote, lostNote, putBack } from './put-back.ts';
import { putBackJournals } from './put-back-journals.ts';
import { type Remembered, rememberTree } from './remember-tree.ts';

/**
 * A guard restores protected paths that commands have changed. Landlock cannot protect them: it allows a folder with
 * everything in it, or not at all. A change lasts while its command runs.
 */
export interface Guard {
  /**
   * Remembers paths before a command. Returns the paths that are too large to be guarded. `hidden` are paths that
   * commands may not read. Throws `ToolFailure` once a path could not be restored.
   */
  begin(paths: readonly string[], hidden: readonly string[]): readonly string[];
  /** Restores changed paths after a command, with a note for each. Called once for each `begin`. */
  end(): void;
  /** Deletes the journal. No command runs any longer. */
  close(): void;
}

/**
 * Creates a guard. With a place for a journal, paths are restored that an earlier run could not restore because it was
 * killed, and the next run does the same for this one.
 */
export function createGuard(onNote: (note: string) => void, place?: JournalPlace): Guard {
  if (place !== undefined) putBackJournals(place.home, onNote);
  const journal = place === undefined ? undefined : createJournal(place, onNote);
  const remembered = new Map<string, Remembered>();
  const listings: Listings = new Map();
  let running = 0;
  /** The first path that could not be restored. */
  let lost: string | undefined;

  function check(path: string, tree: Remembered): void {
    try {
      const aside = putBack(path, tree, listings);
      if (aside !== undefined) onNote(changedNote(path, aside));
    } catch (error) {
      lost ??= path;
      onNote(lostNote(path, messageOf(error)));
    }
  }

  return {
    begin(paths, hidden) {
      if (lost !== undefined) throw new ToolFailure('permission', refusal(lost));
      const earlier = new Map(remembered);
      // While another command runs, its changes must not count as the original state.
      if (running === 0) remembered.clear();
      const unguarded = paths.filter((path) => {
        if (remembered.has(path)) return false;
        const tree = rememberTree(path, listings, earlier.get(path));
        if (tree !== undefined) remembered.set(path, tree);
        return tree === undefined;
      });
      running += 1;
      journal?.begin(readable(remembered, hidden));
      return unguarded;
    },
    end() {
      running -= 1;
      for (const [path, tree] of remembered) check(path, tree);
      if (running === 0) journal?.end();
    },
    close() {
      journal?.remove();
    },
  };
}

function refusal(path: string): string {
  return (
    `The command was not run: an earlier command changed ${path}, which could not be put back, so no further command ` +
    `of this thread runs in the sandbox. The user has to look at ${dirname(path)}, and can then resume the thread.`
  );
}

/** Returns the trees without hidden files, since commands could read a journal. */
function readable(trees: ReadonlyMap<string, Remembered>, hidden: readonly string[]): ReadonlyMap<string, Remembered> {
  if (hidden.length === 0) return trees;
  const touches = (a: string, b: string) => a === b || isInside(a, b) || isInside(b, a);
  return new Map([...trees].filter(([path]) => !hidden.some((other) => touches(path, other))));
}
