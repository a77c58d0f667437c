import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mainWorktreeOf } from './main-worktree.ts';
import type { SettingsReader } from './setting/settings-reader.ts';
import { DEFAULT_ROOT_MARKERS } from './tables/project-docs.ts';
import { PROJECT_SETTINGS } from './tables/sources.ts';

/** The project that the working folder belongs to. */
export interface Project {
  /** Nearest folder upwards that is a git repository. Null: there is none. */
  readonly root: string | null;
  /** Whether the user marked the folder, its root or, for a linked worktree, the main worktree as trusted. */
  readonly trusted: boolean;
  /** Whether the user has said that the folder is trusted, or that it is not. */
  readonly isDecided: boolean;
  /** Whether trust decides about the sandbox, because no setting names its mode. */
  readonly sandboxByTrust: boolean;
}

export type TrustLevel = 'trusted' | 'untrusted' | undefined;

/** Returns the nearest folder upwards that is a git repository, or that holds one of these names. */
export function findProjectRoot(folder: string, markers = DEFAULT_ROOT_MARKERS): string | null {
  if (markers.some((marker) => isMarked(join(folder, marker), marker))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findProjectRoot(parent, markers);
}

function isMarked(path: string, marker: string): boolean {
  return marker === '.git' ? isRepository(path) : existsSync(path);
}

/**
 * Reports whether a path is the folder of a git repository or the file of a worktree. The empty folder that a sandbox
 * puts in their place is neither.
 */
function isRepository(path: string): boolean {
  return existsSync(join(path, 'HEAD')) || statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** The user's trust in a folder. */
export interface FoundTrust {
  readonly level: TrustLevel;
  /** Main worktree that a linked worktree has its trust from. */
  readonly main?: string;
}

/**
 * Returns the user's trust in a folder. Without one, that in the root of its project counts, and then that in the main
 * worktree of the root.
 */
export function findTrust(settings: SettingsReader, cwd: string, root: string | null): FoundTrust {
  const levelOf = (folder: string) => PROJECT_SETTINGS.trustLevel.given(settings, [folder]);
  const level = levelOf(cwd) ?? (root === null ? undefined : levelOf(root));
  const main = level === undefined && root !== null ? mainWorktreeOf(root) : undefined;
  return main === undefined ? { level } : { level: levelOf(main), main };
}
