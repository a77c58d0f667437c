import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { OPEN_FLAGS } from '../files/read-opened.ts';
import { type ObjectStore, openObjects } from './object-store.ts';
import { planRestore, type RestoreStep, withoutRespelled } from './plan-restore.ts';
import { readTree } from './read-tree.ts';
import { leftIn, type PresentOptions, presentRoot, type Restored, takePresent } from './restore-workspace.ts';
import { parseSnapshotName, readWorkspacePath, snapshotPaths } from './snapshot-paths.ts';
import { diskPath } from './tree.ts';

/** The differences between a snapshot and the workspace: a restore that was not made. */
export interface ComparedSnapshot extends Restored {
  /** Returns the text of a file now and in the snapshot. Undefined for a long file and for one that is not text. */
  textsOf(step: RestoreStep): { readonly now: string; readonly kept: string } | undefined;
}

/**
 * Compares snapshots with the present workspace, which is read once. Changes nothing. Throws `UserError` where a
 * snapshot is missing or damaged.
 */
export async function compareWorkspace(
  names: readonly string[],
  options: Omit<PresentOptions, 'dryRun'>,
): Promise<ReadonlyMap<string, ComparedSnapshot>> {
  const compared = new Map<string, ComparedSnapshot>();
  for (const key of new Set(names.map((name) => parseSnapshotName(name).key))) {
    const paths = snapshotPaths(options.home, key);
    const root = presentRoot(readWorkspacePath(paths));
    const objects = openObjects(paths.objects);
    const trees = new Map(
      names.flatMap((name) => {
        const parsed = parseSnapshotName(name);
        return parsed.key === key ? [[name, readTree(objects, parsed.id)] as const] : [];
      }),
    );
    const present = await takePresent({ ...options, dryRun: true }, paths, root, [...trees.values()]);
    for (const [name, kept] of trees) {
      const steps = planRestore(kept, withoutRespelled(kept, present, present.stats));
      const textsOf = (step: RestoreStep) => textsIn(root, objects, step);
      compared.set(name, { root, steps, failed: [], left: leftIn(kept), undo: null, textsOf });
    }
  }
  return compared;
}

/** Longest file whose lines are compared. */
const MOST_BYTES = 512 * 1024;

function textsIn(root: string, objects: ObjectStore, step: RestoreStep): ReturnType<ComparedSnapshot['textsOf']> {
  if (step.type === 'mode') return undefined;
  if (step.type === 'write' && step.entry.kind === 'link') return undefined;
  const isNew = step.type === 'write' && step.isNew;
  const now = isNew ? '' : textOf(readPresent(Buffer.from(`${diskPath(root)}/${step.path}`, 'latin1')));
  const kept = step.type === 'delete' ? '' : textOf(objects.read(step.entry.id));
  return now === undefined || kept === undefined ? undefined : { now, kept };
}

function textOf(bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || bytes.length > MOST_BYTES || bytes.includes(0)) return undefined;
  return bytes.toString('utf8');
}

/** Reads a file of the workspace, unless it is long, a link or gone. */
function readPresent(path: Buffer): Buffer | undefined {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | OPEN_FLAGS);
    try {
      const stat = fstatSync(descriptor);
      return stat.isFile() && stat.size <= MOST_BYTES ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
