import type { CustomToolCallItem, HostedItem, Item, LocalShellCallItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { withoutImages } from './without-images.ts';

/** What is known of who gets a history. */
export interface HistoryServer {
  /** Whether the model can look at images. */
  readonly images: boolean;
  /** Whether it is offered tools of this kind, and so knows such calls. */
  readonly customCalls: boolean;
  readonly localShell: boolean;
  /** Returns whether it made a hosted item, or may have. */
  made(item: HostedItem): boolean;
}

/** The items that say to a server what this one says; itself where that is what it takes. */
export function convertItem(item: Item, server: HistoryServer): readonly Item[] {
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
    case 'function_call_output':
      return [server.images ? item : withoutImages(item)];
    case 'reasoning':
    case 'function_call':
      return [item];
    default:
      return server.made(item) ? [item] : hostedAsMessages(item);
  }
}

/** Ids tell servers what kind an item is, so that it goes with the kind. */
function customAsFunction({ name, namespace, input, call_id }: CustomToolCallItem): Item {
  const place = namespace === undefined ? {} : { namespace };
  return { type: 'function_call', name, ...place, arguments: JSON.stringify({ input }), call_id };
}

function shellAsFunction({ action, call_id }: LocalShellCallItem): Item {
  const { command, working_directory: workdir, timeout_ms } = action;
  return { type: 'function_call', name: 'shell', arguments: JSON.stringify({ command, workdir, timeout_ms }), call_id };
}

/** What another server sealed is lost; what another agent wrote is told in the user's name; searches leave no gap. */
function hostedAsMessages(item: HostedItem): readonly Item[] {
  if (item.type === 'compaction' || item.type === 'context_compaction') return [told(SEALED)];
  if (item.type !== 'agent_message') return [];
  const parts: readonly unknown[] = Array.isArray(item.content) ? item.content : [];
  const texts = parts.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []));
  return texts.length === 0 ? [] : [told(texts.join('\n\n'))];
}

function told(text: string): Item {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

const SEALED =
  '[A part of this thread was summarized in a form that only the server which wrote it can read. It is left out here.]';
