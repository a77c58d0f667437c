import type { ThreadItem } from '../../base/event.ts';
import type { Item } from '../../base/item.ts';
import type { StartedItem } from '../../base/model.ts';
import { begunItem, shownItem } from '../../events/shown-item.ts';
import { noteItem } from '../state/note-item.ts';
import type { Turn } from '../turn-setup.ts';

/** The messages, reasoning and hosted searches of one response: each is started, then completed or dropped. */
export interface ResponseItems {
  started(item: Pick<StartedItem, 'type' | 'id'>): void;
  done(item: Item): void;
  /** Ends the response: a search that is still open has failed, another item is dropped. */
  end(): void;
}

type ItemTurn = Pick<Turn, 'id' | 'emit' | 'mention'> & {
  readonly setup: Pick<Turn['setup'], 'showRawReasoning'>;
};

export function createResponseItems(turn: ItemTurn): ResponseItems {
  const open = new Map<string, ThreadItem>();

  function started(item: Pick<StartedItem, 'type' | 'id'>): void {
    const shown = begunItem(item);
    if (!shown || open.has(item.id)) return;
    open.set(item.id, shown);
    turn.emit({ type: 'item.started', item: shown });
  }

  return {
    started,
    done(item) {
      const id = typeof item.id === 'string' ? item.id : '';
      const shown = shownItem(item, { rawReasoning: turn.setup.showRawReasoning });
      // Not every server says when an item begins.
      if (shown) started({ type: item.type, id });
      const wasOpen = open.delete(id);
      if (shown) turn.emit({ type: 'item.completed', item: shown });
      else if (wasOpen) turn.emit({ type: 'item.dropped', itemId: id });
    },
    end() {
      for (const [itemId, item] of open) {
        if (item.type !== 'web_search') turn.emit({ type: 'item.dropped', itemId });
        else noteItem(turn, { ...item, status: 'failed' });
      }
      open.clear();
    },
  };
}
