import { UserError } from '../base/errors.ts';
import type { SessionMeta } from '../base/log.ts';
import type { StoredLine } from '../base/thread-store.ts';
import { lineHead } from './line-head.ts';
import { encodeLine, withoutGroup } from './rollout-line.ts';
import { type ScannedThread, scanTurns } from './scan-turns.ts';
import { createWaitingAsks } from './waiting-asks.ts';
import { createWaitingInputs } from './waiting-inputs.ts';

/** A new thread that begins with the turns of another. */
export interface Fork {
  /** Reads the other thread from its first line. Called twice. */
  read(): AsyncIterable<StoredLine>;
  /** Last turn to copy, by number or id; null for all turns. The id may be that of a turn that was rolled back. */
  readonly at: number | string | null;
  /** First line of the new thread. */
  readonly meta: SessionMeta;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Returns the lines of a fork, each as bytes without a line feed. Copies the lines of the other thread that its history
 * needs at that point: none before the last checkpoint. Throws `UserError` if the turn does not exist.
 */
export async function* forkLines({ read, at, meta, now }: Fork): AsyncGenerator<Buffer, void, undefined> {
  const scanned = await scanTurns(read());
  const end = at === null ? scanned.lines : endOf(scanned, at, meta.forked_from_id ?? '');
  const start = scanned.bases.findLast((base) => base + 1 < end) ?? 0;
  yield Buffer.from(encodeLine({ type: 'session_meta', payload: meta }, 0, now));
  const waiting = createWaitingInputs();
  const asks = createWaitingAsks();
  let index = 0;
  let ordinal = 1;
  for await (const { bytes } of read()) {
    if (index >= end) break;
    if (index++ < start || lineHead(bytes, 0, bytes.length)?.type === 'session_meta') continue;
    waiting.see(bytes);
    asks.see(bytes);
    yield renumbered(bytes, ordinal++);
  }
  // Questions and queued input stay with their thread and are removed from forks.
  for (const line of asks.outputs()) yield Buffer.from(encodeLine(line, ordinal++, now));
  for (const id of waiting.ids())
    yield Buffer.from(encodeLine({ type: 'oxbow', payload: { kind: 'input.removed', id } }, ordinal++, now));
}

/** Returns the index after the last line of the turn. */
function endOf({ turns, dropped, lines }: ScannedThread, at: number | string, id: string): number {
  const turn = turns.find((one) => one.number === at || one.id === at) ?? dropped.find((one) => one.id === at);
  if (turn) return turn.end ?? lines;
  const [first, last] = [turns.at(0)?.number, turns.at(-1)?.number];
  if (first === undefined) throw new UserError('not_found', `The thread ${id} has no turns yet.`);
  const count = first === last ? `only the turn ${first}` : `the turns ${first} to ${last}`;
  throw new UserError('not_found', `The thread ${id} has no turn ${at}: it has ${count}.`);
}

/** Returns a copy of the line with its ordinal in the new thread. All other bytes are unchanged. */
function renumbered(stored: Buffer, ordinal: number): Buffer {
  // The copy may end in the middle of a group.
  const line = withoutGroup(stored);
  const [place, time] = /^(\{"timestamp":"[^"]*",)(?:"ordinal":\d+,)?/.exec(line.toString('latin1', 0, 100)) ?? [];
  if (place === undefined) return Buffer.from(line);
  return Buffer.concat([Buffer.from(`${time}"ordinal":${ordinal},`), line.subarray(place.length)]);
}
