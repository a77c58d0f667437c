import {
  type CustomToolCallItem,
  type HostedItem,
  type Item,
  isHosted,
  type LocalShellCallItem,
  messageText,
  type ReasoningItem,
} from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ToolSnapshot, ToolSpec } from '../../base/tool.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Turn, TurnSetup } from '../turn-setup.ts';
import { withoutImages } from './without-images.ts';

/**
 * Returns the history in a form that the current server and model accept. Another server or model may have written
 * items that they do not know. Returns the history itself if nothing has to change. A changed item is the same object
 * each time.
 */
export function historyForServer({ state, setup, tools }: Turn): readonly Item[] {
  const { history } = state;
  const memo = memoOf(state, setup, tools);
  const isShorter = history[memo.looked - 1] !== memo.last;
  if (isShorter) memo.differs = false;
  for (let index = isShorter ? 0 : memo.looked; index < history.length; index++) {
    const item = history[index];
    if (item && convertOnce(memo, item)[0] !== item) memo.differs = true;
  }
  memo.looked = history.length;
  memo.last = history.at(-1);
  return memo.differs ? convertedItems(history, memo) : history;
}

interface Memo {
  readonly tools: ToolSnapshot;
  readonly providerId: string;
  readonly server: HistoryServer;
  /** Replacements of items. Only items that changed. */
  readonly changed: WeakMap<Item, readonly Item[]>;
  /** Number of items that were checked, and the last of them. */
  looked: number;
  last: Item | undefined;
  /** Whether any of them had to change. */
  differs: boolean;
}

const memos = new WeakMap<readonly Item[], Memo>();

function memoOf(state: ThreadState, setup: TurnSetup, tools: ToolSnapshot): Memo {
  const { history } = state;
  const known = memos.get(history);
  const { providerId, imageInput } = setup;
  if (known?.tools === tools && known.providerId === providerId && known.server.images === imageInput) return known;
  const server = serverOf(state, setup, tools);
  const memo = { tools, providerId, server, changed: new WeakMap(), looked: 0, last: undefined, differs: false };
  memos.set(history, memo);
  return memo;
}

function serverOf(
  { madeBy, meta }: ThreadState,
  { providerId, imageInput, withoutState }: TurnSetup,
  tools: ToolSnapshot,
): HistoryServer {
  const isOffered = (type: ToolSpec['type']) => tools.offered.some((tool) => tool.type === type);
  return {
    images: imageInput,
    customCalls: isOffered('custom'),
    localShell: isOffered('local_shell'),
    instructions: meta?.base_instructions?.text,
    made: (item) => (madeBy.get(item) ?? providerId) === providerId,
    withoutState: withoutState ?? ((item) => item),
  };
}

function convertOnce({ server, changed }: Memo, item: Item): readonly Item[] {
  const known = changed.get(item);
  if (known) return known;
  const converted = convertItem(item, server);
  if (converted[0] !== item) changed.set(item, converted);
  return converted;
}

function convertedItems(history: readonly Item[], memo: Memo): readonly Item[] {
  const isGone = (item: Item | undefined) =>
    item !== undefined && isHosted(item) && convertOnce(memo, item).length === 0;
  // Servers refuse reasoning without the item it led to.
  return history.flatMap((item, index) =>
    item.type === 'reasoning' && isGone(history[index + 1]) ? [] : convertOnce(memo, item),
  );
}

/** Abilities of the server and model that get a history. */
interface HistoryServer {
  /** Whether the model can see images. */
  readonly images: boolean;
  /** Whether it is offered custom tools, and so knows their calls. */
  readonly customCalls: boolean;
  readonly localShell: boolean;
  /** Base instructions that the thread began with. Requests have instructions in a field of their own. */
  readonly instructions: string | undefined;
  /** Reports whether the server made an item, or may have made it. */
  made(item: HostedItem | ReasoningItem): boolean;
  withoutState(item: ReasoningItem): ReasoningItem;
}

/** Returns the items that replace an item for a server. Returns the item itself if the server accepts it. */
function convertItem(item: Item, server: HistoryServer): readonly Item[] {
  switch (item.type) {
    case 'custom_tool_call':
      return [server.customCalls ? item : customAsFunction(item)];
    case 'custom_tool_call_output': {
      const seen = server.images ? item : withoutImages(item);
      if (server.customCalls || seen.type !== 'custom_tool_call_output') return [seen];
      const { call_id, output } = seen;
      return [{ type: 'function_call_output', call_id, output }];
    }
    case 'local_shell_call':
      return [server.localShell ? item : shellAsFunction(item)];
    case 'message':
      if (item.role === 'developer' && messageText(item) === server.instructions) return [];
      return [server.images ? item : withoutImages(item)];
    // Tools of the program that wrote the item. They are not the tools of this request.
    case 'additional_tools':
      return [];
    case 'function_call_output':
      return [server.images ? item : withoutImages(item)];
    case 'reasoning':
      return [server.made(item) ? item : server.withoutState(item)];
    case 'function_call':
      return [item];
    default:
      return server.made(item) ? [item] : hostedAsMessages(item);
  }
}

/** Returns a custom call as a function call. The id is dropped, because it shows servers the kind of the item. */
function customAsFunction({ name, namespace, input, call_id }: CustomToolCallItem): Item {
  const place = namespace === undefined ? {} : { namespace };
  return { type: 'function_call', name, ...place, arguments: JSON.stringify({ input }), call_id };
}

function shellAsFunction({ action, call_id }: LocalShellCallItem): Item {
  const { command, working_directory: workdir, timeout_ms } = action;
  return { type: 'function_call', name: 'shell', arguments: JSON.stringify({ command, workdir, timeout_ms }), call_id };
}

/**
 * Returns the messages that replace an item of another server. Sealed content is lost, a message of another agent is
 * sent in the user's name, and searches are left out.
 */
function hostedAsMessages(item: HostedItem): readonly Item[] {
  if (item.type === 'compaction' || item.type === 'context_compaction') return [userMessage(SEALED)];
  if (item.type !== 'agent_message') return [];
  const parts: readonly unknown[] = Array.isArray(item.content) ? item.content : [];
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts.length === 0 ? [] : [userMessage(texts.join('\n\n'))];
}

function userMessage(text: string): Item {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

const SEALED =
  '[A part of this thread was summarized in a form that only the server which wrote it can read. It is left out here.]';
