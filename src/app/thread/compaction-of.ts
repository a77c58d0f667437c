import type { CompactionConfig } from '../../config/compaction.ts';
import type { CompactionSettings } from '../../engine/turn-setup.ts';

/** How full a window may become: the model must have room for a summary. */
const FULL = 0.9;

/** When the threads of a model are compacted, as far as the config does not say it. What does it is loaded then. */
export function compactionOf(config: CompactionConfig, knownWindow: number): CompactionSettings {
  const window = config.window ?? knownWindow;
  const most = Math.floor(window * FULL);
  return {
    window,
    limit: config.limit === Number.POSITIVE_INFINITY ? config.limit : Math.min(config.limit ?? most, most),
    prompt: async () => (await import('../../prompt/compact-prompt.ts')).compactPrompt(config),
    code: async () => (await import('../../engine/compact/compact-history.ts')).compactHistory,
  };
}
