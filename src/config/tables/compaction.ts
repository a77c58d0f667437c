import { wrongValue } from '../setting/layers.ts';
import type { Settings } from '../setting/settings-reader.ts';

/** When a thread is compacted, and how the model is asked for it. */
export interface CompactionConfig {
  /** How many tokens the model takes at once; null: what is known of it. */
  readonly window: number | null;
  /** How many tokens a history may have; null: most of the window. Infinity: it is never compacted by itself. */
  readonly limit: number | null;
  /** Instead of our prompt. */
  readonly prompt: string | null;
  /** A file with it, an absolute path. */
  readonly promptFile: string | null;
}

export function readCompaction(settings: Settings): CompactionConfig {
  return {
    window: readTokens(settings, 'model_context_window', 1, 'a number of tokens'),
    limit: readLimit(settings),
    prompt: settings.string('compact_prompt') ?? null,
    promptFile: settings.file('experimental_compact_prompt_file') ?? null,
  };
}

function readLimit(settings: Settings): number | null {
  const limit = readTokens(settings, 'model_auto_compact_token_limit', -1, 'a number of tokens, or -1 for never');
  return limit !== null && limit <= 0 ? Number.POSITIVE_INFINITY : limit;
}

function readTokens(settings: Settings, key: string, least: number, expected: string): number | null {
  const found = settings.found(key);
  if (found === undefined) return null;
  const { value } = found;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least) throw wrongValue([key], expected, found);
  return value;
}
