import type { Item } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import type { PrefixCause } from '../../base/prefix-cause.ts';
import type { Turn } from '../turn-setup.ts';
import { withoutImages } from './without-images.ts';

/** A reason why requests do not begin with the bytes of the ones before, with the new values. */
export interface PrefixChange {
  readonly cause: PrefixCause;
  readonly instructions?: string;
  readonly tools?: string;
}

/**
 * Returns the changes that a turn begins with. `added` are outputs that the turn adds to the history at the same time.
 */
export async function prefixChanges(
  turn: Turn,
  added: readonly { readonly payload: Item }[],
): Promise<readonly PrefixChange[]> {
  const { setup, state, previousModel, previousProvider } = turn;
  const chosen = turn.baseInstructions ?? chosenBefore(turn);
  const changes: PrefixChange[] = [];
  if (chosen !== undefined && chosen !== state.instructions)
    changes.push({ cause: 'instructions', instructions: chosen });
  turn.tools = setup.tools();
  const { digest: tools } = turn.tools;
  if (state.tools === null) return [...changes, { cause: 'start', tools }];
  if (state.tools !== tools) changes.push({ cause: 'tools', tools });
  if (previousProvider !== null && previousProvider !== setup.providerId) changes.push({ cause: 'provider' });
  if (previousModel !== null && previousModel !== setup.request.model) {
    changes.push({ cause: 'model' });
    const items = [...state.history, ...added.map(({ payload }) => payload)];
    if (await changesImages(turn, previousModel, items)) changes.push({ cause: 'images' });
  }
  if (state.rolledBack) changes.push({ cause: 'rollback' });
  return changes;
}

export function prefixLine(change: PrefixChange): LogLine {
  return { type: 'oxbow', payload: { kind: 'prefix.changed', ...change } };
}

/** Shows a change of the prefix. The start of a thread is not shown. */
export function showChange(turn: Turn, cause: PrefixCause): void {
  if (cause !== 'start') turn.emit({ type: 'prefix.changed', cause });
}

/** Updates the tools of the turn, and records a change. To be called before each request. */
export async function recordTools(turn: Turn): Promise<void> {
  turn.tools = turn.setup.tools();
  const { digest: tools } = turn.tools;
  if (turn.state.tools !== tools) await note(turn, { cause: 'tools', tools });
}

/** Records that reasoning from before the user's last message is no longer sent. To be called before each request. */
export async function recordForgottenReasoning(turn: Turn): Promise<void> {
  if (turn.setup.forgetsReasoning && turn.state.reasoning === 'past') await note(turn, { cause: 'reasoning' });
}

/** Returns the instructions that the user chose for a resumed thread, at its first turn in this process. */
function chosenBefore({ isFirstHere, setup }: Turn): string | undefined {
  return isFirstHere && setup.prompt.chosen ? setup.prompt.instructions : undefined;
}

/** Reports whether some image is sent to only one of the two models. */
async function changesImages({ setup }: Turn, previousModel: string, items: readonly Item[]): Promise<boolean> {
  const sawImages = await setup.seesImages?.(previousModel);
  if ((sawImages ?? setup.imageInput) === setup.imageInput) return false;
  return items.some((item) => withoutImages(item) !== item);
}

async function note(turn: Turn, change: PrefixChange): Promise<void> {
  await turn.note(prefixLine(change));
  showChange(turn, change.cause);
}
