import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { digestOf, digestText } from '../base/digest-of.ts';
import { isRecord } from '../base/json-schema.ts';
import { realPath } from './real-path.ts';

/** A file with settings or rules at the root of a project. */
export interface ProjectFile {
  readonly path: string;
  /** Path below the root of the project. */
  readonly name: string;
  /** Null for a file that cannot be read. */
  readonly text: string | null;
}

/** Texts of a project's files as the user accepted them, by their paths below the root. */
export type AcceptedTexts = Readonly<Record<string, string>>;

/** The record of the texts that the user accepted in one project. */
export interface ProjectRecord {
  exists(): boolean;
  /** Returns the accepted texts: none without a record, or from a damaged one. */
  read(): AcceptedTexts;
  /** Replaces the record. Throws the error of the file system. */
  write(files: readonly ProjectFile[]): void;
}

const LARGEST_BYTES = 1024 * 1024;

/** Reads `config.toml` and `rules/*.rules` of these folders. */
export function readProjectFiles(root: string, folders: readonly string[]): ProjectFile[] {
  const paths = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [join(folder, 'config.toml'), ...rulesIn(folder)]);
  return paths
    .filter((path) => existsSync(path))
    .map((path) => ({ path, name: relative(root, path), text: readProjectText(path) }));
}

function rulesIn(folder: string): string[] {
  try {
    const names = readdirSync(join(folder, 'rules')).filter((name) => name.endsWith('.rules'));
    return names.sort().map((name) => join(folder, 'rules', name));
  } catch {
    return [];
  }
}

/** Returns the text of a file; null if it cannot be read, is not a regular file or is too long. */
export function readProjectText(path: string): string | null {
  try {
    const stats = statSync(path);
    // Reading a pipe would block forever.
    return stats.isFile() && stats.size <= LARGEST_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** A project, as far as its record depends on it. */
export interface RecordedProject {
  readonly home: string;
  readonly root: string;
  /** Main worktree that a linked worktree has its trust from. */
  readonly main: string | undefined;
}

/** Opens the record that holds for a project: its own, or that of the main worktree as long as it has none. */
export function openRecordInForce({ home, root, main }: RecordedProject): ProjectRecord {
  const own = openProjectRecord(home, root);
  return main === undefined || own.exists() ? own : openProjectRecord(home, main);
}

/** Opens the record of a project. Each project has a file of its own, so that two runs cannot lose an entry. */
export function openProjectRecord(home: string, root: string): ProjectRecord {
  const project = realPath(root);
  const name = basename(project)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60);
  // Not node:crypto, which would cost 3 ms of every start. `project` says whether it is the record of this project.
  const path = join(home, 'trust', `${name}-${digestText(digestOf(project, 0))}.json`);
  return {
    exists: () => existsSync(path),
    read: () => readTexts(path, project),
    write(files) {
      const texts = Object.fromEntries(files.flatMap(({ name, text }) => (text === null ? [] : [[name, text]])));
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, `${JSON.stringify({ project, files: texts }, null, 2)}\n`, { mode: 0o600 });
      renameSync(draft, path);
    },
  };
}

function readTexts(path: string, project: string): AcceptedTexts {
  try {
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(record) || record.project !== project || !isRecord(record.files)) return {};
    const files = Object.entries(record.files);
    return Object.fromEntries(files.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return {};
  }
}
