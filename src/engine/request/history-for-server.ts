import { type Item, isHosted } from '../../base/item.ts';
import type { ToolSnapshot, ToolSpec } from '../../base/tool.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Turn, TurnSetup } from '../turn-setup.ts';
import { convertItem, type HistoryServer } from './convert-item.ts';

/**
 * The history as the server and the model that are asked now take it: another one may have written what they do not know.
 * The history itself where there is nothing to change; an item that is changed becomes the same object each time.
 */
export function historyForServer({ state, setup, tools }: Turn): readonly Item[] {
  const { history } = state;
  const memo = memoOf(state, setup, tools);
  const isShorter = history[memo.looked - 1] !== memo.last;
  if (isShorter) memo.differs = false;
  for (let index = isShorter ? 0 : memo.looked; index < history.length; index++) {
    const item = history[index];
    if (item && fitOnce(memo, item)[0] !== item) memo.differs = true;
  }
  memo.looked = history.length;
  memo.last = history.at(-1);
  return memo.differs ? fittedItems(history, memo) : history;
}

interface Memo {
  readonly tools: ToolSnapshot;
  readonly providerId: string;
  readonly server: HistoryServer;
  /** What items became; only those that changed. */
  readonly changed: WeakMap<Item, readonly Item[]>;
  /** How many items were looked at, and the last of them. */
  looked: number;
  last: Item | undefined;
  /** Whether any of them had to be changed. */
  differs: boolean;
}

const memos = new WeakMap<readonly Item[], Memo>();

function memoOf({ history, hostedBy }: ThreadState, setup: TurnSetup, tools: ToolSnapshot): Memo {
  const known = memos.get(history);
  const { providerId, imageInput } = setup;
  if (known?.tools === tools && known.providerId === providerId && known.server.images === imageInput) return known;
  const server = serverOf(hostedBy, setup, tools);
  const memo = { tools, providerId, server, changed: new WeakMap(), looked: 0, last: undefined, differs: false };
  memos.set(history, memo);
  return memo;
}

function serverOf(
  hostedBy: ThreadState['hostedBy'],
  { providerId, imageInput }: TurnSetup,
  tools: ToolSnapshot,
): HistoryServer {
  const isOffered = (type: ToolSpec['type']) => tools.offered.some((tool) => tool.type === type);
  return {
    images: imageInput,
    customCalls: isOffered('custom'),
    localShell: isOffered('local_shell'),
    made: (item) => (hostedBy.get(item) ?? providerId) === providerId,
  };
}

function fitOnce({ server, changed }: Memo, item: Item): readonly Item[] {
  const known = changed.get(item);
  if (known) return known;
  const fitted = convertItem(item, server);
  if (fitted[0] !== item) changed.set(item, fitted);
  return fitted;
}

function fittedItems(history: readonly Item[], memo: Memo): readonly Item[] {
  const isGone = (item: Item | undefined) => item !== undefined && isHosted(item) && fitOnce(memo, item).length === 0;
  // Servers refuse reasoning without what it led to.
  return history.flatMap((item, index) =>
    item.type === 'reasoning' && isGone(history[index + 1]) ? [] : fitOnce(memo, item),
  );
}
