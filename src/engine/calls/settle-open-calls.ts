import type { LogLine } from '../../base/log.ts';
import { lostCallText } from '../state/lost-call.ts';
import type { Turn } from '../turn-setup.ts';
import { outputItem } from './output-item.ts';

/**
 * Returns an output for every call that a dead process left open, so that the next request is valid: the one it gave if that
 * is known, otherwise what is known of the call. Nothing is run again.
 */
export function settlingLines(turn: Turn): readonly OutputLine[] {
  return [...turn.state.openCalls.values()].map((call) => ({
    type: 'response_item',
    payload: call.finished?.output ?? outputItem(turn, call.item, lostCallText(call)),
    metadata: call.finished?.metadata ?? { success: false, duration_ms: 0, failure: 'aborted' },
  }));
}

type OutputLine = Extract<LogLine, { type: 'response_item' }>;
