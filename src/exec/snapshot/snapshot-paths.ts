import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';

/** Paths for the snapshots of one workspace, below the home and outside the workspace. */
export interface SnapshotPaths {
  readonly folder: string;
  /** Key of the workspace. */
  readonly key: string;
  /** File with the path of the workspace. */
  readonly workspace: string;
  readonly objects: string;
  readonly cache: string;
  /** List of snapshots, one JSON line each. */
  readonly kept: string;
  /** File whose time is that of the last cleanup. */
  readonly tidied: string;
  readonly emptyRepository: string;
}

/** Returns the folder for the snapshots of all workspaces. */
export function snapshotsFolder(home: string): string {
  return join(home, 'snapshots');
}

export function snapshotPaths(home: string, key: string): SnapshotPaths {
  const folder = join(snapshotsFolder(home), key);
  return {
    folder,
    key,
    workspace: join(folder, 'workspace'),
    objects: join(folder, 'objects'),
    cache: join(folder, 'cache.json'),
    kept: join(folder, 'kept.jsonl'),
    tidied: join(folder, 'tidied'),
    emptyRepository: join(folder, 'empty.git'),
  };
}

/** Returns the key of a workspace, whose path contains no links. */
export function workspaceKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

/** Writes the path of the workspace next to its snapshots. */
export function writeWorkspacePath({ workspace }: SnapshotPaths, root: string): void {
  writeFileSync(workspace, root, { mode: 0o600 });
}

/** Returns the workspace to which the snapshots belong. */
export function readWorkspacePath({ folder, workspace }: SnapshotPaths): string {
  try {
    return readFileSync(workspace, 'utf8');
  } catch {
    throw new UserError('not_found', `There are no snapshots in ${folder}.`);
  }
}

/** Returns the name of a snapshot: the key of its workspace, then the id of its contents. */
export function snapshotName({ key }: SnapshotPaths, id: string): string {
  return `${key}-${id}`;
}

/** Throws `UserError` for anything but the name of a snapshot. */
export function parseSnapshotName(name: string): { readonly key: string; readonly id: string } {
  const [, key, id] = /^([0-9a-f]{16})-([0-9a-f]{40})$/.exec(name) ?? [];
  if (key === undefined || id === undefined)
    throw new UserError(
      'invalid_input',
      `"${name}" is not the name of a snapshot: that is 16 hex digits, a hyphen and 40 more.`,
    );
  return { key, id };
}
