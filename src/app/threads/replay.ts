import { resolve } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';
import type { LogLine } from '../../base/log.ts';
import type { StoredLine, ThreadCatalogue } from '../../base/thread-store.ts';
import type { Divergence } from '../../engine/replay/divergence.ts';
import type { RecordedLine } from '../../engine/replay/recorded-line.ts';
import { type Replay, replayThread } from '../../engine/replay/replay-thread.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { openRolloutFile } from '../../store/catalogue/rollout-catalogue.ts';
import { canonicalLine } from '../thread/canonical-line.ts';
import { findThread, type ThreadReference } from './find-thread.ts';

/** Result of replaying a thread. */
export interface ReplayReport extends Omit<Replay, 'divergence'> {
  /** Name of the log for people. */
  readonly label: string;
  /** Path of the rollout file. Null when the thread is not kept in a file. */
  readonly path: string | null;
  readonly reproduced: boolean;
  /** First line that was not reproduced. Null when all lines were. */
  readonly divergence: (Divergence & { readonly label: string; readonly path: string | null }) | null;
  /** Sentences about lines that could not be read. */
  readonly notices: readonly string[];
}

/**
 * Replays a thread, or the rollout file at a path. A fork
 * finds the files that it points to below the home. Throws `UserError` when there is no such thread.
 */
export async function replayNamed(
  reference: ThreadReference,
  store: ThreadCatalogue,
  home: string,
): Promise<ReplayReport> {
  const path = isRecord(reference) && 'text' in reference ? reference.text : reference;
  if (typeof path === 'string' && /\.jsonl(\.zst)?$/.test(path)) return replayRollout(resolve(path), home);
  const { id } = await findThread(store, reference);
  const described = await store.describe(id);
  return replayStored({ label: described.label, path: described.path, read: () => store.read(id) });
}

/** Replays a rollout file. Throws `UserError` when the file cannot be read. */
export async function replayRollout(path: string, home: string): Promise<ReplayReport> {
  const file = await openRolloutFile(home, path);
  return replayStored({ ...file, label: file.path });
}

interface StoredThread {
  readonly label: string;
  readonly path: string | null;
  read(): AsyncIterable<StoredLine>;
}

/**
 * Runs a recorded thread again from its lines, with the recorded answers of the model and outputs of calls. Nothing is
 * sent, run or written.
 */
async function replayStored({ label, path, read }: StoredThread): Promise<ReplayReport> {
  const notices = new Set<string>();
  let parts: LogPart[] = [];
  async function* lines(): AsyncGenerator<RecordedLine> {
    parts = [];
    const onFault = (at: StoredLine, fault: string) => notices.add(`line ${at.number} of ${at.label} ${fault}`);
    let number = 0;
    for await (const { line, stored } of decodeLines(read(), canonicalLine, onFault)) {
      if (parts.at(-1)?.label !== stored.label) parts.push({ label: stored.label, after: number });
      number = (parts.at(-1)?.after ?? 0) + stored.number;
      yield { number, ordinal: ordinalOf(line), line };
    }
  }
  const { divergence, ...replay } = await replayThread(lines);
  const at = divergence && { ...divergence, ...positionOf(divergence.line, parts) };
  return {
    label,
    path,
    ...replay,
    reproduced: at === null,
    divergence: at && { ...at, path: path === null ? null : at.label },
    notices: [...notices],
  };
}

/** Lines of one file. A fork may have lines in other files. */
interface LogPart {
  readonly label: string;
  /** Number of lines before these, in other files. */
  readonly after: number;
}

function positionOf(number: number, parts: readonly LogPart[]): { readonly label: string; readonly line: number } {
  const { label, after } = parts.findLast((part) => part.after < number) ?? { label: '', after: 0 };
  return { label, line: number - after };
}

function ordinalOf(line: LogLine): number | null {
  const { ordinal } = line as { readonly ordinal?: unknown };
  return typeof ordinal === 'number' ? ordinal : null;
}
