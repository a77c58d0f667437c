import { compactHistory } from '../compact/compact-history.ts';
import type { CompactionSettings } from '../turn-setup.ts';
import type { Playback } from './playback.ts';

/** Returns settings that compact the history exactly where it was compacted, and keep the recorded number of tokens. */
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
    // A compaction that failed ended its turn only where the record says so.
    fits() {
      const next = expected.ahead()?.line;
      return next?.type !== 'oxbow' || next.payload.kind !== 'turn.failed' || next.payload.code === 'limit';
    },
    prompt: async () => '',
    // After an overflow, the tokens to keep depend on the size of the tools, which is unknown here. The recorded number
    // is used instead.
    code:
      async () =>
      (turn, { reason, inTurn }) =>
        compactHistory(turn, {
          reason: reason === 'overflow' ? 'limit' : reason,
          inTurn,
          summaryTokens: Number.POSITIVE_INFINITY,
        }),
  };
}
