import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessRow, readProcessTable, wasStartedWith } from './process-table.ts';

/** What belongs to one or more commands. */
export interface ProcessTree {
  /** The processes that we started and that have not ended: of one that has, the number may be a stranger's by now. */
  readonly roots: readonly number[];
  /** Those of the roots that end all that they started when they are asked to. Killed, they could not. */
  readonly supervisors: readonly number[];
  /** How an entry of the environment begins (`NAME=value`) in everything that belongs to them, and in nothing else. */
  readonly mark: string;
}

const PASSES = 100;
const PAUSE_MS = 5;

/**
 * Kills the processes of a tree, also those that left their group, session and parent behind, and looks again until
 * none is left. Gives up after about half a second on what cannot be killed. The tree is asked for on each look, since
 * the number of a root that has ended may soon be another's.
 */
export async function killTree(tree: () => ProcessTree): Promise<void> {
  // At once: this ends a whole pid namespace, and is all that can be done where there is no /proc.
  for (const root of unsupervised(tree())) killGroup(root);
  for (const supervisor of tree().supervisors) signal(supervisor, 'SIGTERM');
  for (let pass = 0; pass < PASSES && tree().supervisors.length > 0; pass++) await delay(PAUSE_MS);
  for (let pass = 0; pass < PASSES; pass++) {
    if (killOnce(tree()) === 0) return;
    await delay(PAUSE_MS);
  }
}

/** For the `exit` event of a process, where nothing can be waited for. */
export function killTreeSync(tree: ProcessTree): void {
  for (const root of unsupervised(tree)) killGroup(root);
  for (const supervisor of tree.supervisors) signal(supervisor, 'SIGTERM');
  // A second look catches what was being forked during the first.
  if (killOnce(tree, tree.supervisors) > 0) killOnce(tree, tree.supervisors);
}

/** Which of the processes belong to a tree. */
export function treeMembers(
  rows: readonly ProcessRow[],
  tree: ProcessTree,
  carriesMark: (pid: number) => boolean,
): number[] {
  const self = rows.find((row) => row.pid === process.pid);
  const alive = rows.filter((row) => !row.ended && row.pid !== process.pid);
  const groups = new Set(tree.roots);
  const members = new Set(tree.roots);
  for (const row of alive) {
    // Nothing of ours is older than we are; so the environments of other programs are mostly left alone.
    const mayCarry = self === undefined || row.startedAt >= self.startedAt;
    if (groups.has(row.group) || groups.has(row.session) || (mayCarry && carriesMark(row.pid))) members.add(row.pid);
  }
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    for (const row of alive) if (members.has(row.parent)) members.add(row.pid);
  }
  return alive.map((row) => row.pid).filter((pid) => members.has(pid));
}

function unsupervised({ roots, supervisors }: ProcessTree): number[] {
  return roots.filter((root) => !supervisors.includes(root));
}

function killOnce(tree: ProcessTree, spared: readonly number[] = []): number {
  const rows = readProcessTable();
  if (rows === undefined) return 0;
  const found = treeMembers(rows, tree, (pid) => wasStartedWith(pid, tree.mark));
  const members = found.filter((pid) => !spared.includes(pid));
  for (const pid of members) signal(pid, 'SIGKILL');
  return members.length;
}

function killGroup(root: number): void {
  signal(root, 'SIGKILL');
  signal(-root, 'SIGKILL');
}

/** Sends a signal to a process, or to a group by its negative number. What has ended already needs none. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended, or not ours to signal: either way there is nothing more to do.
  }
}
