import { hashText } from '../base/hash-text.ts';
import type { PrefixCause } from '../base/prefix-cause.ts';
import type { Turn } from './turn-setup.ts';

/** Notes that a turn's requests do not begin with the bytes of those before, with the cause. Once, at its start. */
export async function notePrefix(turn: Turn): Promise<void> {
  const { setup, state } = turn;
  const chosen = turn.baseInstructions ?? (setup.prompt.chosen ? setup.prompt.instructions : undefined);
  if (chosen !== undefined && chosen !== state.instructions) await note(turn, 'instructions', { instructions: chosen });
  const tools = digestText(hashText(JSON.stringify(setup.tools.offered), 0));
  if (state.tools !== tools) await note(turn, state.tools === null ? 'start' : 'tools', { tools });
}

export function digestText(digest: number): string {
  return digest.toString(36);
}

async function note(
  turn: Turn,
  cause: PrefixCause,
  changed: { readonly instructions?: string; readonly tools?: string },
): Promise<void> {
  await turn.record({ type: 'oxbow', payload: { kind: 'prefix.changed', cause, ...changed } });
  if (cause !== 'start') turn.emit({ type: 'prefix.changed', cause });
}
