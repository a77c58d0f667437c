import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { settledMark } from './marks.ts';
import type { HeldFolder } from './open-folder.ts';

/**
 * A trap lies in the part of a repository that commands may change, and would make git run a program or write to another
 * place when the user next runs git.
 */
export interface GitTrap {
  /** Names from the repository to the entry that has to be moved away. */
  readonly path: readonly string[];
  /** The dangerous text: the target of a link, or a line that git would run. */
  readonly text: string;
}

/**
 * Links and folders of folders that have been read, by a mark of the folder. Spares reading folders again that have not
 * changed.
 */
export type Listings = Map<string, Listing>;

interface Listing {
  readonly links: readonly GitTrap[];
  readonly folders: readonly string[];
}

/** Finds the traps in a repository. `isFree` reports which of its entries commands may change. */
export function findTraps(repository: HeldFolder, isFree: (name: string) => boolean, listings: Listings): GitTrap[] {
  return readdirSync(repository.entry('.'), { withFileTypes: true })
    .filter(({ name }) => isFree(name))
    .flatMap((entry) => {
      const { name } = entry;
      if (entry.isSymbolicLink()) return [linkTrap(repository, [name])];
      if (name === 'BISECT_NAMES' && entry.isFile()) return asTraps([name], unquoted(readText(repository, [name])));
      if (!entry.isDirectory()) return [];
      const links = linksIn(repository, [name], listings);
      // Half an operation would be worse than none.
      return OPERATIONS.has(name)
        ? asTraps([name], [...links.map(({ text }) => text), ...dangersIn(repository, name)])
        : links;
    });
}

/** Returns a text that two traps have in common only if they are the same. */
export function trapKey({ path, text }: GitTrap): string {
  return [...path, text].join('\0');
}

/** Folders with the state of an unfinished operation, which `--continue` would take up. */
const OPERATIONS = new Set(['rebase-merge', 'rebase-apply', 'sequencer']);

/**
 * Folders that may be very large. Below their top level git makes new files, with names from their contents, except in
 * folders with fixed names.
 */
const LARGE = new Set(['objects', 'lfs']);
const FIXED = new Set(['info', 'pack']);

function linksIn(repository: HeldFolder, path: readonly string[], listings: Listings): GitTrap[] {
  const { links, folders } = listingOf(repository, path, listings);
  const isLarge = LARGE.has(path[0] ?? '');
  const inner = folders.filter((name) => !isLarge || (path.length === 1 && FIXED.has(name)));
  return inner.length === 0
    ? [...links]
    : [...links, ...inner.flatMap((name) => linksIn(repository, [...path, name], listings))];
}

const MOST_LISTINGS = 10_000;

/** Lists a folder. Its path may lead elsewhere while a command runs, but not after the last command has ended. */
function listingOf(repository: HeldFolder, path: readonly string[], listings: Listings): Listing {
  const folder = repository.entry(path.join('/'));
  const mark = settledMark(lstatSync(folder, { bigint: true }));
  const known = listings.get(`${path.join('/')} ${mark}`);
  if (known !== undefined) return known;
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = (kind: 'isSymbolicLink' | 'isDirectory') =>
    entries.filter((entry) => entry[kind]()).map(({ name }) => name);
  const links = names('isSymbolicLink').map((name) => linkTrap(repository, [...path, name]));
  const listing = { links, folders: names('isDirectory') };
  if (listings.size > MOST_LISTINGS) listings.clear();
  listings.set(`${path.join('/')} ${mark}`, listing);
  return listing;
}

/** Comments, whose first character is a setting, and commands of a rebase that run no program of their own. */
const HARMLESS =
  /^\s*(?:$|[^\s\w]|(?:pick|reword|edit|squash|fixup|drop|label|reset|merge|update-ref|noop|break|revert|[presfdltmub])(?:\s|$))/;
const STRATEGIES = ['ort', 'recursive', 'resolve', 'octopus', 'ours', 'subtree'];

/** Returns the texts in the state of an operation that would run a program. */
function dangersIn(repository: HeldFolder, operation: string): string[] {
  return readdirSync(repository.entry(operation)).flatMap((name) => {
    const lines = () => linesOf(readText(repository, [operation, name]));
    if (/^(?:git-rebase-)?todo|^done$/.test(name)) return lines().filter((line) => !HARMLESS.test(line));
    // Git runs the program git-merge-NAME.
    if (name === 'strategy') return lines().filter((line) => !STRATEGIES.includes(line.trim()));
    if (name === 'opts') return lines().filter((line) => !STRATEGIES.includes(strategyIn(line)));
    return [];
  });
}

function strategyIn(line: string): string {
  return /^\s*strategy\s*=\s*"?([^"]*?)"?\s*$/i.exec(line)?.[1] ?? 'ort';
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '');

/** Returns the text of BISECT_NAMES if it holds more than quoted words. Some versions of git let a shell read it. */
function unquoted(text: string): string[] {
  return /^(?:\s|'[^']*'|\\')*$/.test(text) ? [] : [text];
}

const asTraps = (path: readonly string[], texts: readonly string[]) => texts.map((text) => ({ path, text }));

function linkTrap(repository: HeldFolder, path: readonly string[]): GitTrap {
  return { path, text: readlinkSync(repository.entry(path.join('/'))) };
}

/** Longest text that is read. The rest of a longer one counts as dangerous. */
const LONGEST = 1024 * 1024;

/** Returns the text of a file; the empty string for anything else, and a dangerous one if it cannot be read. */
function readText(repository: HeldFolder, path: readonly string[]): string {
  const file = repository.entry(path.join('/'));
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile()) return '';
  if ((stat.mode & 0o400) === 0) return 'unreadable';
  // The file may be a link or a pipe by now. It must not be followed or waited for.
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(LONGEST + 1);
    const length = readSync(descriptor, bytes);
    return length > LONGEST ? 'too long' : bytes.toString('latin1', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
