import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessRow, readProcessTable, wasStartedWith } from './process-table.ts';

/** The processes of one or more commands. */
export interface ProcessTree {
  /** Processes that we started and that run. The number of an ended process may belong to another process by now. */
  readonly roots: readonly number[];
  /** Roots that end everything they started when they get SIGTERM. After SIGKILL they could not. */
  readonly supervisors: readonly number[];
  /** Beginning of an entry of the environment (`NAME=value`) that all processes of the tree have, and no others. */
  readonly mark: string;
}

const PASSES = 100;
const PAUSE_MS = 5;

/**
 * Kills the processes of a tree, including those that left their group, session and parent, until no process is left.
 * Gives up after about half a second. The tree is read again on each pass, since the number of an ended root may soon
 * belong to another process.
 */
export async function killTree(tree: () => ProcessTree): Promise<void> {
  // The first step ends a whole pid namespace. Without /proc it is the only step.
  for (const root of unsupervised(tree())) killGroup(root);
  for (const supervisor of tree().supervisors) signal(supervisor, 'SIGTERM');
  for (let pass = 0; pass < PASSES && tree().supervisors.length > 0; pass++) await delay(PAUSE_MS);
  for (let pass = 0; pass < PASSES; pass++) {
    if (killOnce(tree()) === 0) return;
    await delay(PAUSE_MS);
  }
}

/** Kills a tree in the `exit` event of a process, where waiting is impossible. */
export function killTreeSync(tree: ProcessTree): void {
  for (const root of unsupervised(tree)) killGroup(root);
  for (const supervisor of tree.supervisors) signal(supervisor, 'SIGTERM');
  // The second pass catches processes that were forked during the first.
  if (killOnce(tree, tree.supervisors) > 0) killOnce(tree, tree.supervisors);
}

/** Returns the processes that belong to a tree. */
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
    // Our commands are younger than we are. This check saves reading the environments of most other programs.
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

/** Sends a signal to a process, or to a group by its negative number. Does nothing if the process has ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended, or belongs to another user.
  }
}
