import type { ContentPart } from '../../base/item.ts';
import { sampleFitting } from '../request/sample-fitting.ts';
import type { Turn } from '../turn-setup.ts';
import { beginWith } from './begin-turn.ts';
import { compactIfNeeded } from './compaction.ts';
import { completeTurn, isCompleted, takeQueued } from './input-queue.ts';

/**
 * Runs one turn: the user's input goes in, or what is queued where it is empty; then request, calls, outputs, request …
 * until nothing is left to send back. Returns the final answer, which is on record then. Throws `ModelError` or
 * `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  if (!(await beginWith(turn, input))) return completeTurn(turn, '');
  for (;;) {
    const { followUp, lastMessage } = await sampleFitting(turn);
    const answer = lastMessage ?? '';
    if (!followUp && (await isCompleted(turn, answer))) return answer;
    await compactIfNeeded(turn, 'between');
    await takeQueued(turn);
  }
}
