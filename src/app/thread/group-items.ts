import type { TranscriptItem } from '../../events/transcript.ts';
import type { ThreadTurn } from '../../log/turn-list.ts';

/** Returns the items before the first turn, then those of each turn. An item without a turn follows the one before it. */
export function groupItems<T extends TranscriptItem>(
  turns: readonly Pick<ThreadTurn, 'id'>[],
  items: readonly T[],
): T[][] {
  const found: T[][] = [[], ...turns.map(() => [])];
  const places = new Map(turns.map(({ id }, n) => [id, n + 1]));
  let at = 0;
  for (const one of items) {
    // In logs whose turns have no ids, each input begins one.
    const begins = one.turnId === null && one.item.type === 'user_message' && turns[at]?.id === null;
    at = begins ? at + 1 : ((one.turnId === null ? undefined : places.get(one.turnId)) ?? at);
    found[at]?.push(one);
  }
  return found;
}
