import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';

/** A text that the user has not sent yet, and the texts that wait for turns of their own. */
export interface Draft extends DraftText {
  /** In the order in which they would be sent. Default: none. */
  readonly waiting?: readonly DraftText[];
}

/** A text with the parts that are shown folded. */
export interface DraftText {
  /** The text as it is shown. */
  readonly text: string;
  readonly folds: readonly DraftFold[];
}

/** A part of a draft that stands for a pasted text or an image. Its ends are places in the shown text. */
export type DraftFold =
  | { readonly kind: 'paste'; readonly start: number; readonly end: number; readonly text: string }
  | { readonly kind: 'image'; readonly start: number; readonly end: number; readonly path: string };

/** The thread that a draft belongs to, or the folder in which a thread would begin. */
export type DraftKey = { readonly thread: string } | { readonly folder: string };

/** Drafts in the home, one for each thread and folder. */
export interface Drafts {
  /** Returns a draft. Null: there is none, or it cannot be read. */
  read(key: DraftKey): Promise<Draft | null>;
  /** Keeps a draft. One that is written later always wins. Rejects if the home cannot be written to. */
  write(key: DraftKey, draft: Draft): Promise<void>;
  /** Does the same before it returns, for handlers of signals. */
  writeSync(key: DraftKey, draft: Draft): void;
  /** Removes a draft, if there is one. */
  remove(key: DraftKey): Promise<void>;
}

/** Returns the module for hashes. It takes milliseconds to load, for which the first request does not wait. */
const crypto = () => process.getBuiltinModule('node:crypto');

const STALE_MS = 30 * 24 * 60 * 60 * 1000;

/** Returns the drafts of a home. Drafts of 30 days ago are removed with the first reading. */
export function openDrafts(home: string, now: () => number): Drafts {
  const folder = join(home, 'drafts');
  /** The number of the last change of each file. */
  const changes = new Map<string, number>();
  let tidied: Promise<void> | undefined;
  const begin = (path: string) => {
    const number = (changes.get(path) ?? 0) + 1;
    changes.set(path, number);
    return () => changes.get(path) === number;
  };
  return {
    async read(key) {
      tidied ??= removeStale(folder, now() - STALE_MS);
      await tidied;
      return draftOf(join(folder, nameOf(key)));
    },
    async write(key, draft) {
      const path = join(folder, nameOf(key));
      const isNewest = begin(path);
      const temporary = `${path}.${crypto().randomUUID()}`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(temporary, JSON.stringify(draft), { mode: 0o600, flag: 'wx' });
      // Nothing runs between the question and the renaming.
      if (isNewest()) renameSync(temporary, path);
      else await unlink(temporary);
    },
    writeSync(key, draft) {
      const path = join(folder, nameOf(key));
      begin(path);
      const temporary = `${path}.${crypto().randomUUID()}`;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, JSON.stringify(draft), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, path);
    },
    async remove(key) {
      const path = join(folder, nameOf(key));
      begin(path);
      rmSync(path, { force: true });
    },
  };
}

/** Drafts of an agent that may not use its home. They last as long as the agent. */
export function createMemoryDrafts(): Drafts {
  const drafts = new Map<string, Draft>();
  return {
    read: async (key) => drafts.get(nameOf(key)) ?? null,
    write: async (key, draft) => void drafts.set(nameOf(key), draft),
    writeSync: (key, draft) => void drafts.set(nameOf(key), draft),
    remove: async (key) => void drafts.delete(nameOf(key)),
  };
}

function nameOf(key: DraftKey): string {
  const [kind, value] = 'thread' in key ? ['thread', key.thread] : ['folder', key.folder];
  // A path is too long for the name of a file, and an id may come from anywhere.
  return `${kind}-${crypto().createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}

function draftOf(path: string): Draft | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const draft = textOf(stored);
    if (draft === undefined || !isRecord(stored) || !Array.isArray(stored.waiting)) return draft ?? null;
    return { ...draft, waiting: stored.waiting.map(textOf).filter((text) => text !== undefined) };
  } catch {
    return null;
  }
}

function textOf(stored: unknown): DraftText | undefined {
  if (!isRecord(stored) || typeof stored.text !== 'string' || !Array.isArray(stored.folds)) return undefined;
  return { text: stored.text, folds: stored.folds.filter(isFold) };
}

function isFold(value: unknown): value is DraftFold {
  if (!isRecord(value) || !Number.isInteger(value.start) || !Number.isInteger(value.end)) return false;
  return value.kind === 'paste'
    ? typeof value.text === 'string'
    : value.kind === 'image' && typeof value.path === 'string';
}

/** Removes old drafts, and what processes that were killed left of others. */
async function removeStale(folder: string, before: number): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await unlink(path).catch(() => undefined);
  }
}
