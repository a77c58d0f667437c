import { isCall } from '../../base/item.ts';
import { cutTurns, isOwnTurn } from './cut-turns.ts';
import { Diverged, type Divergence } from './divergence.ts';
import { createPlayer } from './player.ts';
import type { RecordedLine, RecordedLog } from './recorded-line.ts';

/** The result of a replay. */
export interface Replay {
  /** Numbers of turns. Folded turns were only read: another program wrote them, or a newer version of this one. */
  readonly turns: { readonly replayed: number; readonly folded: number };
  readonly requests: number;
  readonly calls: number;
  /** The first line that was not reproduced, or null if all were. */
  readonly divergence: Divergence | null;
}

/** Runs a recorded thread again from its log. The same responses and outputs must lead to the same log. */
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
