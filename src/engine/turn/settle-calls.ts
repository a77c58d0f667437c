import type { LogLine } from '../../base/log.ts';
import { begunCall, endedCall } from '../../events/call-item.ts';
import { outputItem } from '../calls/output-item.ts';
import { lostCallText } from '../state/apply-item.ts';
import type { OpenCall } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';

/** The outputs of calls that no process will answer. */
export interface SettledCalls {
  readonly lines: readonly OutputLine[];
  /** Shows the calls whose questions were not answered. To be called when the lines are on record. */
  show(): void;
}

type OutputLine = Extract<LogLine, { type: 'response_item' }>;

/**
 * Returns an output for every open call that the test holds for, so that the next request is valid. It is the output of
 * the call if that is known, otherwise a text about the call. Nothing runs again.
 */
export function settleCalls(turn: Turn, test: (call: OpenCall) => boolean): SettledCalls {
  const items: ReturnType<typeof endedCall>[] = [];
  const lines = [...turn.state.openCalls.values()].filter(test).map((call): OutputLine => {
    const { item, finished, suspended } = call;
    const payload = finished?.output ?? outputItem(turn, item, lostCallText(call));
    const failure = suspended ? 'permission' : 'aborted';
    const metadata = finished?.metadata ?? { success: false, duration_ms: 0, failure };
    if (suspended) items.push(endedCall(begunCall(item), payload.output, metadata));
    return { type: 'response_item', payload, metadata };
  });
  return {
    lines,
    show() {
      for (const item of items) turn.emit({ type: 'item.completed', item });
    },
  };
}
