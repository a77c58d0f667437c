import type { LogLine } from '../../src/base/log.ts';
import { applyLine } from '../../src/engine/state/apply-line.ts';
import { emptyState, type ThreadState } from '../../src/engine/state/thread-state.ts';

/** Returns the state of a thread with these lines. */
export function foldLines(lines: Iterable<LogLine>): ThreadState {
  const state = emptyState();
  for (const line of lines) applyLine(state, line);
  return state;
}
