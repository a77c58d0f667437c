import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IgnoreRules, readIgnoreRules } from './ignore-rules.ts';

const IGNORE_FILES = ['.gitignore', '.ignore'];

/** Folders that have no files of the user, whether an ignore file says so or not. */
const NEVER: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** A folder that is still to be read, with the rules of the folders around it, outermost first. */
interface Waiting {
  /** Path with a slash at its end; empty for the root. */
  readonly path: string;
  readonly rules: readonly FolderRules[];
}

interface FolderRules {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/** Folders that are read at most, so that the walk ends also in a home or at the root of a disk. */
const MOST_FOLDERS = 50_000;

/**
 * Yields the files below a folder, a folder at a time, those near the root first, with slashes. Follows no links to folders
 * and leaves out files that ignore files name. Folders that cannot be read are skipped.
 */
export async function* walkFiles(root: string, signal: AbortSignal): AsyncGenerator<string[], void, undefined> {
  const waiting: Waiting[] = [{ path: '', rules: [] }];
  for (let at = 0; at < waiting.length && at < MOST_FOLDERS; at += 1) {
    const folder = waiting[at];
    if (folder === undefined || signal.aborted) return;
    const entries = await readdir(join(root, folder.path), { withFileTypes: true }).catch(() => []);
    const rules = await rulesIn(root, folder, entries);
    const kept = entries.filter((entry) => !isIgnored(`${folder.path}${entry.name}`, entry, rules));
    const files = kept.filter((entry) => !entry.isDirectory());
    if (files.length > 0) yield files.map(({ name }) => `${folder.path}${name}`);
    for (const { name } of kept.filter((entry) => entry.isDirectory()))
      waiting.push({ path: `${folder.path}${name}/`, rules });
  }
}

async function rulesIn(root: string, { path, rules }: Waiting, entries: readonly Dirent[]): Promise<FolderRules[]> {
  const found = [...rules];
  for (const name of IGNORE_FILES) {
    if (!entries.some((entry) => entry.name === name && entry.isFile())) continue;
    const text = await readFile(join(root, path, name), 'utf8').catch(() => '');
    found.push({ path, rules: readIgnoreRules(text) });
  }
  return found;
}

function isIgnored(path: string, entry: Dirent, rules: readonly FolderRules[]): boolean {
  if (NEVER.has(entry.name)) return true;
  for (const { path: folder, rules: own } of rules.toReversed()) {
    const decided = own.decide(path.slice(folder.length), entry.isDirectory());
    if (decided !== undefined) return decided;
  }
  return false;
}
