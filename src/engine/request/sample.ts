import { ModelError } from '../../base/errors.ts';
import type { ThreadItem } from '../../base/event.ts';
import { type Item, isCall, messageText } from '../../base/item.ts';
import type { ModelEvent, ModelRequest, StartedItem, StreamedEvent, StreamOptions } from '../../base/model.ts';
import { begunItem, shownItem } from '../../events/shown-item.ts';
import { createDispatch, type Dispatch } from '../calls/dispatch.ts';
import { contextUse } from '../state/estimate.ts';
import { noteItem } from '../state/note-item.ts';
import { recordRepair } from '../state/record-repair.ts';
import type { Turn } from '../turn-setup.ts';
import { historyForServer } from './history-for-server.ts';
import { modelRequest, recordUsage, sendRequest, withRetries } from './send-request.ts';

export interface SampledResponse {
  /** Whether there is something to send back. */
  readonly followUp: boolean;
  readonly lastMessage: string | null;
}

/**
 * Returns one response of the model, and asks again if it breaks. Each attempt is built from the current history. Items
 * of a broken response are kept: its calls run once, and their outputs go with the next attempt.
 */
export async function sample(turn: Turn): Promise<SampledResponse> {
  return withRetries(turn, async (facts) => {
    const dispatch = createDispatch(turn);
    try {
      const end = await sendRequest(turn, facts, (options) => followResponse(turn, dispatch, options));
      showContext(turn);
      return { followUp: dispatch.count > 0 || end.endTurn === false, lastMessage: end.lastMessage };
    } finally {
      await dispatch.settle();
      if (dispatch.count > 0) showContext(turn);
    }
  });
}

function showContext(turn: Turn): void {
  turn.emit({ type: 'context', ...contextUse(turn, turn.setup.window) });
}

interface ResponseEnd {
  readonly endTurn: boolean | null;
  readonly lastMessage: string | null;
}

async function followResponse(turn: Turn, dispatch: Dispatch, options: StreamOptions): Promise<ResponseEnd> {
  const items = createResponseItems(turn);
  try {
    const events = turn.setup.model.stream(buildRequest(turn), options);
    return await handleEvents(turn, events, { dispatch, items });
  } finally {
    items.end();
  }
}

interface ResponseHandlers {
  readonly dispatch: Dispatch;
  readonly items: ResponseItems;
}

async function handleEvents(
  turn: Turn,
  events: AsyncIterable<StreamedEvent>,
  { dispatch, items }: ResponseHandlers,
): Promise<ResponseEnd> {
  let lastMessage: string | null = null;
  for await (const event of events) {
    switch (event.type) {
      case 'item.done':
        await handleItem(turn, event.item, { dispatch, items });
        if (event.item.type === 'message') lastMessage = messageText(event.item);
        break;
      case 'item.started':
        items.started(event.item);
        break;
      case 'completed':
        await recordUsage(turn, event.usage);
        return { endTurn: event.endTurn, lastMessage };
      case 'incomplete':
        await recordUsage(turn, event.usage);
        dispatch.refuseWaiting(`not run: the response was cut off (${event.reason})`);
        throw new ModelError('incomplete', incompleteMessage(event.reason), {
          cutOff: event.reason,
        });
      case 'created':
        // The server is working on its answer, so preparing for commands delays no request.
        turn.thread.environment.prepare(turn.setup.policy.sandbox);
        break;
      case 'repair':
        await recordRepair(turn, event.repair);
        break;
      default:
        report(turn, event);
    }
  }
  throw new ModelError('stream_broken', 'The response ended without saying so.', { retryable: true });
}

/** Returns a message that begins as that of Codex, which takes all other reasons for a broken stream. */
function incompleteMessage(reason: string): string {
  const message = `Incomplete response returned, reason: ${reason}`;
  return reason === 'max_output_tokens' ? message : `stream disconnected before completion: ${message}`;
}

function buildRequest(turn: Turn): ModelRequest {
  const { setup, outputSchema } = turn;
  const request = modelRequest(turn, historyForServer(turn));
  if (outputSchema === undefined) return request;
  const schema = { name: 'codex_output_schema', strict: true, schema: outputSchema };
  return { ...request, text: { ...setup.request.text, schema } };
}

/** Records and shows an item. A call starts at once, while the response is still arriving. */
async function handleItem(turn: Turn, item: Item, { dispatch, items }: ResponseHandlers): Promise<void> {
  await turn.note({ type: 'response_item', payload: item });
  items.done(item);
  if (!isCall(item)) return;
  dispatch.start(item);
  // Lets the call start before the rest of the response is read.
  await new Promise(setImmediate);
}

function report(turn: Turn, event: ModelEvent): void {
  if (event.type === 'text.delta' || event.type === 'reasoning.delta' || event.type === 'reasoning.section') {
    turn.emit(event);
  }
}

/** The messages, reasoning and hosted searches of one response. Each is started, then completed or dropped. */
interface ResponseItems {
  started(item: Pick<StartedItem, 'type' | 'id'>): void;
  done(item: Item): void;
  /** Ends the response. An open search has failed, any other open item is dropped. */
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
      // Not every server reports the start of an item.
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
