import type { TextLimit } from '../../base/bound-text.ts';
import type { ModelEntry } from '../../base/model-entry.ts';
import type { Provider } from '../../base/provider.ts';
import type { Config } from '../../config/load-config.ts';
import type { CompactionConfig } from '../../config/tables/compaction.ts';
import type { CompactionSettings } from '../../engine/turn-setup.ts';
import { configuredEntry } from '../../model/models.ts';

/** The part of a window that a history may fill. The rest is room for a summary. */
const FULL = 0.9;

/**
 * Returns when the threads of a model are compacted. The configured limits win over those of the model. The code of a
 * compaction is loaded with the first one.
 */
export function compactionOf(config: CompactionConfig, knownWindow: number): CompactionSettings {
  const window = config.window ?? knownWindow;
  const most = Math.floor(window * FULL);
  return {
    window,
    fits: (tokens) => tokens < window,
    limit: config.limit === Number.POSITIVE_INFINITY ? config.limit : Math.min(config.limit ?? most, most),
    prompt: async () => (await import('../../prompt/compact-prompt.ts')).compactPrompt(config),
    code: async () => (await import('../../engine/compact/compact-history.ts')).compactHistory,
  };
}

/** Returns the most text that one output of a tool may have. */
export function textLimitOf(configuredTokens: number | null, usual: TextLimit): TextLimit {
  return configuredTokens === null ? usual : { unit: 'tokens', limit: configuredTokens };
}

/** Returns the facts about a model that the user has set. */
export function ownFacts({ models, compaction }: Config, { id }: Provider, model: string): ModelEntry {
  const entry = configuredEntry(models, id, model);
  return compaction.window === null ? { ...entry } : { ...entry, contextWindow: compaction.window };
}
