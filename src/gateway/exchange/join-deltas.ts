import type { ModelEvent } from '../../base/model.ts';

type Delta = Extract<ModelEvent, { readonly delta: string }>;

/**
 * Joins pieces of one text that came together. The first piece of a text is passed on at once, because the client waits
 * for it.
 */
export interface DeltaJoiner {
  /** Returns the events to pass on now, in order. */
  push(event: ModelEvent): readonly ModelEvent[];
  /** Returns the events that are still held back. Called after each read. */
  settle(): readonly ModelEvent[];
}

export function joinDeltas(): DeltaJoiner {
  /** The last piece of the text that is being passed on. */
  let current: Delta | undefined;
  let held = '';
  const release = (): readonly ModelEvent[] => {
    if (current === undefined || held === '') return NOTHING;
    const joined = { ...current, delta: held };
    held = '';
    return [joined];
  };
  return {
    push(event) {
      if (current !== undefined && isPieceOf(event, current)) {
        held += event.delta;
        return NOTHING;
      }
      const before = release();
      current = 'delta' in event ? event : undefined;
      return before.length === 0 ? [event] : [...before, event];
    },
    settle: release,
  };
}

const NOTHING: readonly ModelEvent[] = [];

function isPieceOf(event: ModelEvent, text: Delta): event is Delta {
  if (!('delta' in event) || event.type !== text.type || event.itemId !== text.itemId) return false;
  if (event.type === 'text.delta') return text.type === 'text.delta' && event.refusal === text.refusal;
  return event.type !== 'reasoning.delta' || text.type !== 'reasoning.delta' || event.kind === text.kind;
}
