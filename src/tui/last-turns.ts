import type { Thread } from '../app/thread/thread.ts';
import type { ThreadItem } from '../base/event.ts';
import { answerEntries, type Entry } from './view/entry.ts';

const MOST_TURNS = 3;
/** More rows than people read of earlier turns. */
const MOST_ROWS = 200;

/** Returns the entries of the last turns of a thread, read from the end of its log, and a line about the turns before. */
export async function lastTurns(thread: Thread): Promise<readonly Entry[]> {
  const { turns, earlier, before } = await thread.history({ turns: MOST_TURNS });
  const entries = turns.flatMap(({ items, failure }): Entry[] => [
    ...items.flatMap(itemEntries),
    ...(failure === null ? [] : [{ kind: 'notice', tone: 'error', text: failure } as const]),
  ]);
  const count = earlier === null ? (before === null ? 0 : null) : earlier;
  const shown = entries.slice(-MOST_ROWS);
  if (count === 0 && shown.length === entries.length) return shown;
  const what =
    count === null ? 'Earlier turns' : count === 1 ? '1 earlier turn' : `${count.toLocaleString('en')} earlier turns`;
  return [{ kind: 'notice', tone: 'dim', text: `${what}: Ctrl-T` }, ...shown];
}

/** Returns the entries of an item that was completed before. */
export function itemEntries(item: ThreadItem): Entry[] {
  switch (item.type) {
    case 'user_message':
      return [{ kind: 'user', text: item.text, images: item.images, how: 'sent' }];
    case 'agent_message':
      return answerEntries(item.text);
    case 'reasoning':
      return item.text.trim() === '' ? [] : [{ kind: 'reasoning', text: item.text }];
    default:
      return [{ kind: 'item', item }];
  }
}
