import type { ContentPart } from '../base/item.ts';
import { beginWith } from './begin-turn.ts';
import { compactIfNeeded } from './compaction.ts';
import { takeQueued } from './input-queue.ts';
import { sampleFitting } from './sample-fitting.ts';
import type { Turn } from './turn-setup.ts';

/**
 * One turn: the user's input goes in, or what is queued where it is empty; then request, calls, outputs, request … until
 * nothing is left to send back. Gives the final answer. Throws `ModelError` or `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  if (!(await beginWith(turn, input))) return '';
  for (;;) {
    const response = await sampleFitting(turn);
    if (!response.followUp && turn.state.queue.length === 0) return response.lastMessage ?? '';
    await compactIfNeeded(turn, 'between');
    await takeQueued(turn);
  }
}
