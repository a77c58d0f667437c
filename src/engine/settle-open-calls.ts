import { outputItem } from './output-item.ts';
import type { Turn } from './turn-setup.ts';

/**
 * Gives every call that a dead process left open its one output, so that the next request is valid: what it answered if
 * that is known, otherwise what is known of it. Nothing is run again.
 */
export async function settleOpenCalls(turn: Turn): Promise<void> {
  for (const call of [...turn.state.openCalls.values()]) {
    const started = call.readOnly ? ONLY_READ : UNKNOWN;
    const unknown = call.status === 'started' ? started : NEVER_STARTED;
    await turn.record({
      type: 'response_item',
      payload: call.finished?.output ?? outputItem(call.item, unknown, turn.setup),
      metadata: call.finished?.metadata ?? { success: false, duration_ms: 0, failure: 'aborted' },
    });
  }
}

const NEVER_STARTED = 'aborted';
const ONLY_READ =
  'The agent stopped while this call was running. It only reads, so it may be repeated if its output is still wanted.';
const UNKNOWN =
  'The agent stopped while this call was running. Whether it took effect, wholly or in part, is not known: check before repeating it.';
