import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { isAlive, ownMark } from '../../../machine/process-mark.ts';
import { journalsIn } from './journal.ts';
import { formatName, type JournalName, parseName } from './journal-name.ts';
import { decodeJournal, type GuardedTrees, withoutMarks } from './journal-text.ts';
import { changedNote, lostNote, putBack } from './put-back.ts';

/**
 * Restores the paths that processes could not restore because they were killed while a command ran. Adds a note for each
 * path that had changed. Reads one folder when there is nothing to do. Never throws.
 */
export function putBackJournals(home: string, onNote: (note: string) => void): void {
  const folder = journalsIn(home);
  const names = namesIn(folder);
  if (names.length === 0) return;
  try {
    for (const name of names) {
      const journal = parseName(name);
      if (journal !== undefined && isAlive(journal.owner) === false) settle(folder, journal, onNote);
    }
  } catch (error) {
    onNote(`Files that a killed run of Oxbow left changed could not be looked for in ${folder}: ${messageOf(error)}.`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No journal was ever written in this home.
    return [];
  }
}

function settle(folder: string, journal: JournalName, onNote: (note: string) => void): void {
  const left = join(folder, formatName(journal));
  if (journal.state !== 'running') {
    rmSync(left, { force: true });
    return;
  }
  // If this process is killed too, the next one continues.
  const taken = join(folder, formatName({ ...journal, owner: ownMark() }));
  try {
    renameSync(left, taken);
  } catch {
    // Another process was faster.
    return;
  }
  try {
    const trees = decodeJournal(readOwn(taken));
    if (trees === undefined) onNote(UNREADABLE);
    else restoreAll(journal.owner.boot === ownMark().boot ? trees : withoutMarks(trees), onNote);
  } finally {
    rmSync(taken, { force: true });
  }
}

function restoreAll(trees: GuardedTrees, onNote: (note: string) => void): void {
  for (const [path, tree] of trees) {
    // The user has deleted the whole folder since.
    if (!existsSync(dirname(path))) continue;
    try {
      const aside = putBack(path, tree);
      if (aside !== undefined) onNote(`${KILLED} ${changedNote(path, aside)}`);
    } catch (error) {
      onNote(`${KILLED} ${lostNote(path, messageOf(error))}`);
    }
  }
}

/** Returns the text of a file; the empty string for something else than a file of this user. */
function readOwn(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() && stat.uid === process.geteuid?.() ? readFileSync(descriptor, 'utf8') : '';
  } finally {
    closeSync(descriptor);
  }
}

const KILLED = 'An earlier run of Oxbow was killed while a command ran.';

const UNREADABLE = `${KILLED} Its record of protected files cannot be read, so they were not compared. Look at .git/config and .git/hooks before you run git where it worked.`;
