import { isRecord } from '../../../base/json-schema.ts';
import type { Remembered, RememberedEntries } from './remember-tree.ts';

/** Guarded paths with their contents. */
export type GuardedTrees = ReadonlyMap<string, Remembered>;

/** Returns the text of a journal. */
export function encodeJournal(trees: GuardedTrees): string {
  return JSON.stringify([...trees].map(([path, tree]) => [path, plain(tree)]));
}

/** Reads the text of a journal. Returns undefined if the text is cut off or anything else is wrong with it. */
export function decodeJournal(text: string): GuardedTrees | undefined {
  try {
    return new Map(list(JSON.parse(text)).map((pair) => named(pair)));
  } catch {
    return undefined;
  }
}

/**
 * Returns the trees without the marks of files and folders, so that only their contents count. After a restart of the
 * machine, disks may have other numbers.
 */
export function withoutMarks(trees: GuardedTrees): GuardedTrees {
  return new Map([...trees].map(([path, tree]) => [path, unmarked(tree)]));
}

/** Returns a text that differs for trees that differ. Takes less time than the whole text. */
export function fingerprintOf(trees: GuardedTrees): string {
  return [...trees].map(([path, tree]) => `${path}\0${fingerprint(tree)}`).join('\0');
}

function fingerprint(tree: Remembered): string {
  if (tree.type === 'nothing') return '';
  if (tree.type === 'link') return `>${tree.target}`;
  if (tree.type !== 'folder') return tree.mark;
  const { known, isRepository, traps } = tree.entries;
  return `${tree.mark} ${tree.mode} ${isRepository} ${known.size}\0${fingerprintOf(known)}\0${[...traps].join('\0')}`;
}

function plain(tree: Remembered): unknown {
  if (tree.type === 'file') return { ...tree, content: Buffer.from(tree.content).toString('base64') };
  if (tree.type !== 'folder') return tree;
  const { known, isRepository, traps } = tree.entries;
  const entries = { isRepository, traps: [...traps], known: [...known].map(([name, entry]) => [name, plain(entry)]) };
  return { ...tree, entries };
}

function unmarked(tree: Remembered): Remembered {
  if (tree.type === 'nothing' || tree.type === 'link') return tree;
  if (tree.type !== 'folder') return { ...tree, mark: '' };
  return { ...tree, mark: '', entries: { ...tree.entries, known: withoutMarks(tree.entries.known) } };
}

function named(value: unknown): [string, Remembered] {
  const [name, tree] = list(value);
  return [text(name), remembered(tree)];
}

function remembered(value: unknown): Remembered {
  if (!isRecord(value)) throw new TypeError('not a tree');
  const { type } = value;
  switch (type) {
    case 'nothing':
      return { type };
    case 'link':
      return { type, target: text(value.target) };
    case 'other':
      return { type, mark: text(value.mark) };
    case 'file': {
      const content = Buffer.from(text(value.content), 'base64');
      return { type, mode: number(value.mode), content, mark: text(value.mark) };
    }
    case 'folder':
      return { type, mode: number(value.mode), mark: text(value.mark), entries: entriesOf(value.entries) };
    default:
      throw new TypeError('not a tree');
  }
}

function entriesOf(value: unknown): RememberedEntries {
  if (!isRecord(value)) throw new TypeError('no entries');
  const known = new Map(list(value.known).map((pair) => named(pair)));
  for (const name of known.keys()) {
    if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) throw new TypeError('not a name');
  }
  return { known, isRepository: value.isRepository === true, traps: new Set(list(value.traps).map(text)) };
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('not a number');
  return value;
}
