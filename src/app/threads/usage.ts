import { blocksOf } from '../../base/each-line.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import { addLedgers, EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import type { LineBlock, ThreadCatalogue } from '../../base/thread-store.ts';
import { scanTurns } from '../../log/scan-turns.ts';
import { readUsageLines } from '../../log/usage-lines.ts';
import { findThread, type ThreadReference } from './find-thread.ts';
import { foldUsage } from './fold-usage.ts';
import type { TurnUsage } from './usage-tally.ts';

export { readSeenLimits, type SeenLimits } from '../../store/files/seen-limits.ts';

export type { RequestUsage, TurnUsage } from './usage-tally.ts';

/** Tokens, cost and time of a thread, read from its log. */
export interface ThreadUsage {
  readonly threadId: string;
  /** Name that the user gave the thread. */
  readonly name: string | null;
  /** Sum over the turns that the thread ran itself. Turns before a fork belong to the thread that ran them. */
  readonly total: Ledger;
  readonly turns: readonly TurnUsage[];
}

export interface UsageOptions {
  readonly store: ThreadCatalogue;
  /** Whether to leave out the requests of the turns, which may be many thousands. */
  readonly turnsOnly?: boolean;
  /** Called with a sentence about lines and threads that cannot be read. */
  readonly onNotice?: (notice: string) => void;
}

/**
 * Adds up the usage of one thread. Throws `UserError` when there is no such thread.
 */
export async function usageOfThread(reference: ThreadReference, options: UsageOptions): Promise<ThreadUsage> {
  const { store } = options;
  const { id } = await findThread(store, reference);
  const { turns, isCounted } = await readTurns(id, options);
  const { name } = await store.describe(id);
  return threadUsage(id, name, isCounted ? turns : await renumbered(turns, blocksOf(store, id)));
}

/** Numbers turns as `oxbow threads show` and `fork --at` do. */
async function renumbered(turns: readonly TurnUsage[], lines: AsyncIterable<LineBlock>): Promise<readonly TurnUsage[]> {
  const scanned = await scanTurns(lines);
  const numbers = new Map(scanned.turns.map(({ id, number }) => [id, number]));
  return turns.map((turn) => ({ ...turn, turn: numbers.get(turn.turnId) ?? null }));
}

export interface UsageQuery extends UsageOptions {
  /** Only threads of this folder are counted. */
  readonly cwd?: string;
  /** Only turns that began since this time are counted, in milliseconds since 1970. */
  readonly since: number;
}

/** Yields the usage of each thread that ran turns since a time, archived threads included, newest first. */
export async function* usageOfThreads(query: UsageQuery): AsyncGenerator<ThreadUsage, void, undefined> {
  const { store, cwd, since, onNotice } = query;
  for (const archived of [false, true]) {
    for await (const thread of store.list({ archived, changedSince: since })) {
      if (cwd !== undefined && thread.cwd !== cwd) continue;
      const { id, name, label, note } = thread;
      if (thread.cwd === null) {
        onNotice?.(`${label} was left out. ${note ?? ''}`.trimEnd());
        continue;
      }
      const turns = (await turnsOf(id, query)).filter((turn) => isSince(turn, since));
      if (turns.length > 0) yield threadUsage(id, name, turns);
    }
  }
}

/** Returns no turns for a thread that cannot be read, so that the other threads are still counted. */
async function turnsOf(id: string, options: UsageOptions): Promise<readonly TurnUsage[]> {
  try {
    return (await readTurns(id, options)).turns;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    options.onNotice?.(messageOf(error));
    return [];
  }
}

function isSince({ startedAt }: TurnUsage, since: number): boolean {
  return startedAt === null || Date.parse(startedAt) >= since;
}

interface ReadTurns {
  readonly turns: readonly TurnUsage[];
  /** Whether the turns have their final numbers: no turn was rolled back, and no lines are in another file. */
  readonly isCounted: boolean;
}

async function readTurns(id: string, { store, turnsOnly = false, onNotice }: UsageOptions): Promise<ReadTurns> {
  const fold = foldUsage({ keepRequests: !turnsOnly });
  await readUsageLines(blocksOf(store, id), {
    apply: fold.apply,
    onDamaged: (number, label) => onNotice?.(`line ${number} of ${label} is damaged and was skipped`),
  });
  return { turns: fold.turns(), isCounted: fold.isCounted };
}

function threadUsage(threadId: string, name: string | null, turns: readonly TurnUsage[]): ThreadUsage {
  return { threadId, name, turns, total: turns.map(({ ledger }) => ledger).reduce(addLedgers, EMPTY_LEDGER) };
}
