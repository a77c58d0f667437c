import { addLedgers, EMPTY_LEDGER, type Ledger } from '../base/ledger.ts';
import { readMeta } from '../store/read-meta.ts';
import { recentRollouts } from '../store/recent-rollouts.ts';
import { resolveThread } from '../store/resolve-thread.ts';
import { scanTurns } from '../store/scan-turns.ts';
import { readNames } from '../store/thread-names.ts';
import { unpackedRollout } from '../store/unpack-rollout.ts';
import { usageLines } from '../store/usage-lines.ts';
import { foldUsage } from './fold-usage.ts';
import type { TurnUsage } from './usage-tally.ts';

export type { RequestUsage, TurnUsage } from './usage-tally.ts';

/** What a thread took, as its file tells. */
export interface ThreadUsage {
  readonly threadId: string;
  /** What the user called it. */
  readonly name: string | null;
  /** Of the turns that it ran itself; those before a fork belong to the thread that ran them. */
  readonly total: Ledger;
  readonly turns: readonly TurnUsage[];
}

export interface UsageOptions {
  readonly home: string;
  /** Hears of lines and files that cannot be read. */
  readonly onNotice?: (notice: string) => void;
}

/** What one thread took: by its id, the beginning of that, or its name. Throws `UserError` when there is none. */
export async function usageOfThread(reference: string, options: UsageOptions): Promise<ThreadUsage> {
  const { home, onNotice = () => {} } = options;
  const { id, path } = await resolveThread(home, reference);
  const file = await unpackedRollout(path);
  const { turns, isCounted } = await readTurns(file, onNotice);
  const numbered = isCounted ? turns : await renumbered(turns, home, file);
  return threadUsage(id, readNames(home).get(id) ?? null, numbered);
}

/** With the numbers under which `oxbow threads show` and `fork --at` know them. */
async function renumbered(turns: readonly TurnUsage[], home: string, path: string): Promise<readonly TurnUsage[]> {
  const scanned = await scanTurns(home, path);
  const numbers = new Map(scanned.turns.map(({ id, number }) => [id, number]));
  return turns.map((turn) => ({ ...turn, turn: numbers.get(turn.turnId) ?? null }));
}

export interface UsageQuery extends UsageOptions {
  /** Only threads of this folder. */
  readonly cwd?: string;
  /** Only turns that began since then, in milliseconds since 1970. */
  readonly since: number;
}

/** What the threads took that ran turns since then, archived ones too, the newest first. */
export async function* usageOfThreads(query: UsageQuery): AsyncGenerator<ThreadUsage, void, undefined> {
  const { home, cwd, since, onNotice = () => {} } = query;
  const names = readNames(home);
  for await (const { id, path, compressed } of recentRollouts(home, since)) {
    const meta = compressed ? undefined : readMeta(path);
    if (cwd !== undefined && meta?.cwd !== cwd) continue;
    if (!meta) onNotice(`${path} is ${compressed ? 'compressed' : 'damaged'} and was left out`);
    const turns = meta ? (await readTurns(path, onNotice)).turns.filter((turn) => isSince(turn, since)) : [];
    if (turns.length > 0) yield threadUsage(id, names.get(id) ?? null, turns);
  }
}

function isSince({ startedAt }: TurnUsage, since: number): boolean {
  return startedAt === null || Date.parse(startedAt) >= since;
}

interface ReadTurns {
  readonly turns: readonly TurnUsage[];
  /** Whether they can be counted in this file alone: none was taken back, and it does not go on from another file. */
  readonly isCounted: boolean;
}

async function readTurns(path: string, onNotice: (notice: string) => void): Promise<ReadTurns> {
  const meta = readMeta(path);
  const fold = foldUsage(meta);
  const damaged = (number: number) => onNotice(`line ${number} of ${path} is damaged and was skipped`);
  for await (const line of usageLines(path, damaged)) fold.apply(line);
  return { turns: fold.turns(), isCounted: !fold.isRolledBack && meta?.forked_from_ordinal_exclusive === undefined };
}

function threadUsage(threadId: string, name: string | null, turns: readonly TurnUsage[]): ThreadUsage {
  return { threadId, name, turns, total: turns.map(({ ledger }) => ledger).reduce(addLedgers, EMPTY_LEDGER) };
}
