import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { ownMark } from '../../../machine/process-mark.ts';
import { formatName, type JournalName } from './journal-name.ts';
import { encodeJournal, fingerprintOf, type GuardedTrees } from './journal-text.ts';

/**
 * A journal keeps the state of guarded paths on the disk while commands run. If this process is killed, the next one
 * restores them: see `putBackJournals`.
 */
export interface Journal {
  /** Writes the trees. A command is about to run. */
  begin(trees: GuardedTrees): void;
  /** Marks the journal as not needed, because no command runs. */
  end(): void;
  /** Deletes the journal. */
  remove(): void;
}

export interface JournalPlace {
  /** Oxbow's home. */
  readonly home: string;
  /** Text that tells the journals of this process apart. */
  readonly id: string;
}

/** Returns the folder of all journals in a home. */
export function journalsIn(home: string): string {
  return join(home, 'guard');
}

/**
 * Creates a journal, whose file is written when a command first needs it, and again when the trees differ from those in
 * the file.
 */
export function createJournal({ home, id }: JournalPlace, onNote: (note: string) => void): Journal {
  const folder = journalsIn(home);
  let written: string | undefined;
  let running = false;
  let names: Readonly<Record<JournalName['state'], string>> | undefined;

  function paths(): NonNullable<typeof names> {
    const owner = ownMark();
    const path = (state: JournalName['state']) => join(folder, formatName({ owner, id, state }));
    names ??= { running: path('running'), idle: path('idle'), new: path('new') };
    return names;
  }

  function write(trees: GuardedTrees): void {
    const path = names ?? paths();
    const key = fingerprintOf(trees);
    if (key !== written) {
      writeNew(folder, path.new, encodeJournal(trees));
      renameSync(path.new, path.running);
      written = key;
    } else if (!running) {
      renameSync(path.idle, path.running);
    }
    running = true;
  }

  function setAside(): void {
    const path = names ?? paths();
    renameSync(path.running, path.idle);
    running = false;
  }

  return {
    begin(trees) {
      if (trees.size === 0) return;
      try {
        write(trees);
      } catch (error) {
        written = undefined;
        onNote(unwrittenNote(folder, messageOf(error)));
      }
    },
    end() {
      if (running) attempt(setAside);
    },
    remove() {
      const all = Object.values(names ?? {});
      for (const path of all) attempt(() => rmSync(path, { force: true }));
      written = undefined;
      running = false;
    },
  };
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

function writeNew(folder: string, path: string, text: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
  rmSync(path, { force: true });
  const descriptor = openSync(path, NEW_FILE, 0o600);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Runs something whose failure another process can live with: the journal of a process that has ended is deleted. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // The file is gone, or the disk is read-only by now.
  }
}

function unwrittenNote(folder: string, why: string): string {
  return (
    `The state of protected files could not be written to ${folder}: ${why}. ` +
    'If Oxbow is killed while a command runs, it cannot restore files like .git/config at its next start.'
  );
}
