import { ModelError } from '../base/errors.ts';
import type { CompactionReason } from '../base/event.ts';
import type { Turn } from './turn-setup.ts';

/** Replaces a history that has grown to its limit. `between`: in the middle of a turn. */
export async function compactIfNeeded(_turn: Turn, _when: 'before' | 'between'): Promise<void> {}

/** Replaces the history by a shorter one: the user's messages and a summary that the model writes. */
export async function compact(_turn: Turn, _reason: CompactionReason): Promise<void> {
  throw new ModelError('context_length_exceeded', 'The history does not fit.');
}
