import { UserError } from '../../base/errors.ts';
import { isCall } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import type { DecodedLine } from '../../log/decode-lines.ts';
import { createTurnList, type PlacedTurn } from '../../log/turn-list.ts';

/** Snapshot of the workspace before a turn. Null when the workspace has not changed since. */
export type FoundSnapshot = { readonly tree: string } | { readonly tree: null };

/**
 * Returns the snapshot of the first turn that changed something, from the given turn on. Nothing changed before that
 * turn. Throws `UserError` when there is no such turn, or when it has no snapshot.
 */
export async function findSnapshot(
  lines: AsyncIterable<Pick<DecodedLine, 'line'>>,
  turn: number,
): Promise<FoundSnapshot> {
  const turns = await readSnapshotTurns(lines);
  const from = turns.findIndex(({ number }) => number === turn);
  if (from < 0) throw new UserError('not_found', `The thread has no turn ${turn}. ${withSnapshots(turns)}`);
  const found = snapshotFrom(turns, from);
  if ('tree' in found) return found;
  const first = found.missing;
  const why = first.snapshot?.reason;
  const still = first.number === turn ? '' : `Turn ${turn} changed nothing. `;
  const which = first.number === null ? 'a later turn' : `turn ${first.number}`;
  const reason = why === undefined ? '' : `: ${why}`;
  throw new UserError(
    'not_found',
    `${still}The workspace was not kept before ${which}${reason}. ${withSnapshots(turns)}`,
  );
}

/**
 * Returns the snapshot of the first turn that changed something, from a position on, or that turn if it has no snapshot.
 */
export function snapshotFrom(
  turns: readonly SnapshotTurn[],
  from: number,
): FoundSnapshot | { readonly missing: SnapshotTurn } {
  const first = turns.slice(from).find(({ changed, snapshot }) => changed || snapshot);
  if (first === undefined) return { tree: null };
  const tree = first.snapshot?.tree;
  return tree == null ? { missing: first } : { tree };
}

type SnapshotLine = Extract<OxbowLine, { kind: 'snapshot' }>;

/** A turn, and whether the workspace can be restored to its state before. */
export interface SnapshotTurn {
  readonly id: string | null;
  /** Null for a turn that was rolled back. Its changes stay. */
  readonly number: number | null;
  readonly changed: boolean;
  readonly snapshot: SnapshotLine | undefined;
}

interface Draft {
  readonly turn: PlacedTurn;
  snapshot?: SnapshotLine;
  /** Whether a call began that may change something. */
  changing: boolean;
  hasCalls: boolean;
  /** Whether we wrote the turn. Other programs do not record which calls change nothing. */
  isOurs: boolean;
}

/** Returns all turns of a log, also those that were rolled back. */
export async function readSnapshotTurns(
  lines: AsyncIterable<Pick<DecodedLine, 'line'>> | Iterable<Pick<DecodedLine, 'line'>>,
): Promise<readonly SnapshotTurn[]> {
  const list = createTurnList();
  const drafts: Draft[] = [];
  for await (const { line } of lines) {
    list.apply(line, { index: 0, time: null });
    const turn = list.turns.at(-1);
    if (turn && drafts.at(-1)?.turn !== turn && !drafts.some((draft) => draft.turn === turn))
      drafts.push({ turn, changing: false, hasCalls: false, isOurs: false });
    const draft = drafts.at(-1);
    if (draft) note(draft, line);
  }
  const counted = new Set(list.turns);
  return drafts.map(({ turn, snapshot, changing, hasCalls, isOurs }) => ({
    id: turn.id,
    number: counted.has(turn) ? turn.number : null,
    changed: changing || (hasCalls && !isOurs),
    snapshot,
  }));
}

function note(draft: Draft, line: LogLine): void {
  if (line.type === 'response_item' && isCall(line.payload)) draft.hasCalls = true;
  if (line.type !== 'oxbow') return;
  draft.isOurs = true;
  if (line.payload.kind === 'snapshot') draft.snapshot = line.payload;
  if (line.payload.kind === 'call.started' && !line.payload.read_only) draft.changing = true;
}

function withSnapshots(turns: readonly SnapshotTurn[]): string {
  const numbers = turns.flatMap(({ number, snapshot }) => (number !== null && snapshot?.tree != null ? [number] : []));
  if (numbers.length > 0) return `Turns with a snapshot: ${numbers.join(', ')}.`;
  return 'No turn of it has a snapshot; [snapshots] enabled = true in config.toml keeps them from now on.';
}
