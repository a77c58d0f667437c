import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { CredentialsEntry, CredentialsFile } from '../../base/credentials-file.ts';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { isRecord } from '../../base/json-schema.ts';
import { waitForLock } from '../lock/wait-for-lock.ts';

/** Name of the file, as Codex has it. */
const NAME = '.credentials.json';

type Entries = Readonly<Record<string, CredentialsEntry>>;

/** Returns the file with credentials of a home. Only its owner may read it. */
export function openCredentialsFile(home: string): CredentialsFile {
  const path = join(home, NAME);
  return {
    read: async () => readEntries(path),
    async update(name, change) {
      const lock = await waitForLock({ home, id: NAME, path });
      try {
        const entry = await change(readEntries(path)[name]);
        const { [name]: _, ...others } = readEntries(path);
        writeEntries(home, path, entry === undefined ? others : { ...others, [name]: entry });
        return entry;
      } finally {
        lock.release();
      }
    },
  };
}

function readEntries(path: string): Entries {
  let entries: unknown;
  try {
    entries = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    // The parser's message is not shown: it quotes the file, and with it the tokens.
    const isDamaged = error instanceof SyntaxError;
    const why = isDamaged
      ? `${path} is not valid JSON. Repair or remove it.`
      : `${path} cannot be read: ${fileFault(error)}.`;
    throw new UserError(isDamaged ? 'damaged' : 'storage', why);
  }
  if (!isRecord(entries)) throw new UserError('damaged', `${path} does not contain an object. Repair or remove it.`);
  return Object.fromEntries(
    Object.entries(entries).filter((pair): pair is [string, CredentialsEntry] => isRecord(pair[1])),
  );
}

/** Writes a new file and puts it in the place of the old one, so that a reader never sees a part of it. */
function writeEntries(home: string, path: string, entries: Entries): void {
  const draft = `${path}.${process.pid}`;
  try {
    if (Object.keys(entries).length === 0) {
      rmSync(path, { force: true });
      return;
    }
    mkdirSync(home, { recursive: true, mode: 0o700 });
    rmSync(draft, { force: true });
    const fd = openSync(draft, 'wx', 0o600);
    try {
      writeSync(fd, JSON.stringify(entries));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    throw new UserError('storage', `${path} cannot be written: ${fileFault(error)}.`);
  }
}
