import { resolve } from 'node:path';
import type { LogLine } from '../base/log.ts';
import type { Divergence } from '../engine/replay/divergence.ts';
import type { RecordedLine } from '../engine/replay/recorded-line.ts';
import { type Replay, replayThread as replayLog } from '../engine/replay/replay-thread.ts';
import { numberedLines } from '../store/numbered-lines.ts';
import { resolveThread } from '../store/resolve-thread.ts';
import { unpackedRollout } from '../store/unpack-rollout.ts';
import { canonicalLine } from './canonical-line.ts';

/** How the replay of a thread went. */
export interface ReplayReport extends Omit<Replay, 'divergence'> {
  /** The rollout file. */
  readonly path: string;
  readonly reproduced: boolean;
  /** The first line that was not reproduced; null when all were. */
  readonly divergence: (Divergence & { readonly path: string }) | null;
  /** What could not be read. */
  readonly notices: readonly string[];
}

/** The replay of a thread: by its id, the beginning of that, its name, or the path of its rollout file. */
export async function replayNamed(reference: string, home: string): Promise<ReplayReport> {
  const isPath = /\.jsonl(\.zst)?$/.test(reference);
  return replayThread(isPath ? resolve(reference) : (await resolveThread(home, reference)).path, home);
}

/**
 * Runs a recorded thread again from its rollout file, with the answers of the model and the outputs of calls that are in
 * it. Nothing is sent, run or written. Throws `UserError` where the file cannot be read.
 */
export async function replayThread(path: string, home: string): Promise<ReplayReport> {
  const unpacked = await unpackedRollout(path);
  const notices = new Set<string>();
  let parts: Part[] = [];
  async function* lines(): AsyncGenerator<RecordedLine> {
    parts = [];
    let number = 0;
    const onFault = (file: string, line: number, fault: string) => notices.add(`line ${line} of ${file} ${fault}`);
    for await (const placed of numberedLines(unpacked, { home, gate: canonicalLine, onFault })) {
      if (parts.at(-1)?.path !== placed.path) parts.push({ path: placed.path, after: number });
      number = (parts.at(-1)?.after ?? 0) + placed.number;
      yield { number, ordinal: ordinalOf(placed.line), line: placed.line };
    }
  }
  const { divergence, ...replay } = await replayLog(lines);
  const at = divergence && { ...divergence, ...placeOf(divergence.line, parts) };
  return { path: unpacked, ...replay, reproduced: at === null, divergence: at, notices: [...notices] };
}

/** Lines of one file, which the lines of a fork may stand in beside its own. */
interface Part {
  readonly path: string;
  /** How many lines come before, in other files. */
  readonly after: number;
}

function placeOf(number: number, parts: readonly Part[]): { readonly path: string; readonly line: number } {
  const { path, after } = parts.findLast((part) => part.after < number) ?? { path: '', after: 0 };
  return { path, line: number - after };
}

function ordinalOf(line: LogLine): number | null {
  const { ordinal } = line as { readonly ordinal?: unknown };
  return typeof ordinal === 'number' ? ordinal : null;
}
