import { compactHistory } from '../compact/compact-history.ts';
import type { CompactionSettings } from '../turn-setup.ts';
import type { Playback } from './playback.ts';

/** A history is compacted when it was, and keeps as much as it did. */
export function replayCompaction({ expected }: Playback): CompactionSettings {
  return {
    get limit() {
      const next = expected.ahead()?.line;
      const asks =
        next?.type === 'oxbow' && next.payload.kind === 'request.started' && next.payload.purpose === 'summary';
      return asks ? 0 : Number.POSITIVE_INFINITY;
    },
    get window() {
      return 4 * (expected.nextOwn('checkpoint')?.kept_tokens ?? Number.POSITIVE_INFINITY);
    },
    prompt: async () => '',
    // An overflow leaves no more than was sent, which is counted with the tools: those are not known here.
    code: async () => (turn, compaction) =>
      compactHistory(turn, compaction.reason === 'overflow' ? { ...compaction, reason: 'limit' } : compaction),
  };
}
