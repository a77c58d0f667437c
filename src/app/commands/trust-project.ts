import { join, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { type Env, findHome, findUserFolder } from '../../config/home.ts';
import { markTrust } from '../../config/mark-trust.ts';
import { findProjectRoot, findTrust } from '../../config/project.ts';
import { projectFolders } from '../../config/project-folders.ts';
import {
  openProjectRecord,
  openRecordInForce,
  type ProjectFile,
  readProjectFiles,
} from '../../config/project-record.ts';
import { readUserLayers } from '../../config/read-sources.ts';
import { createSettingsReader } from '../../config/setting/settings-reader.ts';
import { gitDiff } from '../../patch/git-diff.ts';

/** Records that the user does not trust the project of a folder, so that the question is not asked again. */
export function distrustProject(folder: string, env: Env): void {
  const cwd = resolve(folder);
  markTrust(join(resolve(findHome(env)), 'config.toml'), findProjectRoot(cwd) ?? cwd, 'untrusted');
}

/** Files of a project that differ from those that the user accepted. */
export interface TrustReview {
  /** Root of the project. */
  readonly root: string;
  /** Whether the user's configuration says that the project is trusted. */
  readonly trusted: boolean;
  readonly changes: readonly FileDifference[];
  /** Paths of files that cannot be read. They cannot be accepted. */
  readonly unreadable: readonly string[];
  /** Accepts the files as they were read for this review, and marks the project as trusted. Throws `UserError`. */
  accept(): void;
}

export interface FileDifference {
  /** Path below the root of the project. */
  readonly path: string;
  readonly status: 'new' | 'changed' | 'removed';
  /** Difference from the accepted text, as git shows it. */
  readonly diff: string;
}

/** Compares the settings and rules of a project with those that the user accepted. Throws `UserError`. */
export function reviewProject(folder: string, env: Env): TrustReview {
  const home = resolve(findHome(env));
  const userFolder = resolve(findUserFolder(env));
  const cwd = resolve(folder);
  const root = findProjectRoot(cwd) ?? cwd;
  const reader = createSettingsReader(readUserLayers(home), { userFolder, trusted: false });
  const { level: trust, main } = findTrust(reader, root, root);
  if (trust === 'untrusted')
    throw new UserError(
      'invalid_config',
      `Your configuration marks ${main ?? root} as untrusted. Remove that entry first.`,
    );
  const files = readProjectFiles(root, projectFolders({ cwd: root, root, home, userFolder }).atRoot);
  const accepted = openRecordInForce({ home, root, main }).read();
  return {
    root,
    trusted: trust === 'trusted',
    changes: changesOf(files, accepted),
    unreadable: files.filter(({ text }) => text === null).map(({ path }) => path),
    accept() {
      try {
        openProjectRecord(home, root).write(files);
      } catch (error) {
        throw new UserError('storage', `The files of ${root} cannot be recorded: ${fileFault(error)}.`);
      }
      if (trust !== 'trusted') markTrust(join(home, 'config.toml'), root, 'trusted');
    },
  };
}

function changesOf(files: readonly ProjectFile[], accepted: Readonly<Record<string, string>>): FileDifference[] {
  const names = new Set(files.map(({ name }) => name));
  const present = files.flatMap(({ name, text }) => (text === null ? [] : [{ name, text }]));
  const removed = Object.keys(accepted).filter((name) => !names.has(name));
  return [...present, ...removed.map((name) => ({ name, text: null }))].flatMap(({ name, text }) => {
    const before = accepted[name] ?? null;
    if (before === text) return [];
    const status = before === null ? 'new' : text === null ? 'removed' : 'changed';
    return [{ path: name, status, diff: gitDiff({ path: name, before, after: text }) }];
  });
}
