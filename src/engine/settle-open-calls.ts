import { outputItem } from './output-item.ts';
import type { Turn } from './turn-setup.ts';
import { unansweredText } from './unanswered.ts';

/**
 * Gives every call that a dead process left open its one output, so that the next request is valid: what it answered if
 * that is known, otherwise what is known of it. Nothing is run again.
 */
export async function settleOpenCalls(turn: Turn): Promise<void> {
  for (const call of [...turn.state.openCalls.values()]) {
    await turn.record({
      type: 'response_item',
      payload: call.finished?.output ?? outputItem(turn, call.item, unansweredText(call)),
      metadata: call.finished?.metadata ?? { success: false, duration_ms: 0, failure: 'aborted' },
    });
  }
}
