import { isCall } from '../../base/item.ts';
import { cutTurns, isOwnTurn } from './cut-turns.ts';
import { Diverged, type Divergence } from './divergence.ts';
import { createPlayer } from './player.ts';
import type { RecordedLine, RecordedLog } from './recorded-line.ts';

/** How a replay went. */
export interface Replay {
  /** `folded`: another program wrote them, or a newer version of this one, and they were only read. */
  readonly turns: { readonly replayed: number; readonly folded: number };
  readonly requests: number;
  readonly calls: number;
  /** The first line that is not reproduced; null when all are. */
  readonly divergence: Divergence | null;
}

/** Runs a recorded thread again from its log: the same answers and outputs must make the same log. */
export async function replayThread(log: RecordedLog): Promise<Replay> {
  const player = createPlayer(log);
  const turns = { replayed: 0, folded: 0 };
  const count = { requests: 0, calls: 0 };
  try {
    for await (const stretch of cutTurns(player.lines())) {
      const own = isOwnTurn(stretch);
      await player.play(stretch);
      if (stretch.type === 'turn') turns[own ? 'replayed' : 'folded']++;
      if (own) countIn(stretch.lines, count);
    }
    player.finish();
  } catch (error) {
    if (!(error instanceof Diverged)) throw error;
    return { turns, ...count, divergence: error.divergence };
  }
  return { turns, ...count, divergence: null };
}

function countIn(lines: readonly RecordedLine[], count: { requests: number; calls: number }): void {
  for (const { line } of lines) {
    if (line.type === 'oxbow' && line.payload.kind === 'request.started') count.requests++;
    if (line.type === 'response_item' && isCall(line.payload)) count.calls++;
  }
}
