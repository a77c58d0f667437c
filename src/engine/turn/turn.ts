import { ModelError } from '../../base/errors.ts';
import type { ContentPart } from '../../base/item.ts';
import { type SampledResponse, sample } from '../request/sample.ts';
import type { Turn } from '../turn-setup.ts';
import { addInput } from './begin-turn.ts';
import { compact, compactIfNeeded } from './compaction.ts';
import { completeTurn, isCompleted, takeQueued } from './input-queue.ts';

/**
 * Runs one turn: the user's input goes in, or what is queued where it is empty; then request, calls, outputs, request …
 * until nothing is left to send back. Returns the final answer, which is on record then. Throws `ModelError` or
 * `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  if (!(await addInput(turn, input))) return completeTurn(turn, '');
  for (;;) {
    const { followUp, lastMessage } = await respondWithinWindow(turn);
    const answer = lastMessage ?? '';
    if (!followUp && (await isCompleted(turn, answer))) return answer;
    await compactIfNeeded(turn, 'between');
    await takeQueued(turn);
  }
}

/**
 * Returns a response. When the server says that the history does not fit, compacts it and asks again: as often as items have
 * come in between, since a history that was just compacted gets no shorter.
 */
async function respondWithinWindow(turn: Turn): Promise<SampledResponse> {
  const { history } = turn.state;
  let compacted: number | undefined;
  for (;;) {
    try {
      return await sample(turn);
    } catch (error) {
      if (!(error instanceof ModelError) || error.code !== 'context_length_exceeded') throw error;
      if (history.length === compacted || !(await compact(turn, 'overflow', true))) throw error;
      compacted = history.length;
    }
  }
}
