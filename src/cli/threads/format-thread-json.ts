import type { ToldThread } from '../../app/threads/tell-thread.ts';

/** Returns a whole thread as JSON. In full, an item has the call behind it with nothing cut. */
export function formatThreadJson({ details, turns }: ToldThread, full: boolean): string {
  const items = turns.flatMap((turn) =>
    turn.items.map(({ turnId, item, call }) => ({ turnId, item, ...(full && call !== null ? { call } : {}) })),
  );
  return `${JSON.stringify({ ...details, items }, null, 2)}\n`;
}
