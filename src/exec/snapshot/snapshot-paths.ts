import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';

/** Where the snapshots of one workspace lie, below the home and outside of the workspace. */
export interface SnapshotPaths {
  readonly folder: string;
  /** Names the workspace. */
  readonly key: string;
  /** A file with the path of the workspace. */
  readonly workspace: string;
  readonly objects: string;
  readonly cache: string;
  /** What was kept, a JSON line each. */
  readonly kept: string;
  /** Its time says when it was last tidied up. */
  readonly tidied: string;
  readonly emptyRepository: string;
}

/** The folder that the snapshots of all workspaces lie in. */
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

/** The name of a workspace without links. */
export function workspaceKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

/** Writes down whose snapshots lie there. */
export function writeWorkspacePath({ workspace }: SnapshotPaths, root: string): void {
  writeFileSync(workspace, root, { mode: 0o600 });
}

/** The workspace whose snapshots lie there. */
export function readWorkspacePath({ folder, workspace }: SnapshotPaths): string {
  try {
    return readFileSync(workspace, 'utf8');
  } catch {
    throw new UserError('not_found', `There are no snapshots in ${folder}.`);
  }
}

/** How a snapshot is called: its workspace, then its content. */
export function snapshotName({ key }: SnapshotPaths, id: string): string {
  return `${key}-${id}`;
}

/** Throws `UserError` for what is no such name. */
export function parseSnapshotName(name: string): { readonly key: string; readonly id: string } {
  const [, key, id] = /^([0-9a-f]{16})-([0-9a-f]{40})$/.exec(name) ?? [];
  if (key === undefined || id === undefined)
    throw new UserError(
      'invalid_input',
      `"${name}" is no name of a snapshot: that is 16 hex digits, a hyphen and 40 more.`,
    );
  return { key, id };
}
