import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { StreamDecoder } from '../../base/wire.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { declaredTools } from '../lowering/declared-tools.ts';
import { responseKey } from '../lowering/own-ids.ts';
import { errorOf, isWholeMessage } from './inspect.ts';
import { createOpenBlocks, type OpenBlocks } from './open-blocks.ts';
import { mergeUsage, readUsage } from './usage-fields.ts';

/**
 * Returns a decoder of one response. Only the `type` inside the data counts; the event name of the frame is ignored. The
 * response is complete at its last event, or when the connection ends after the stop reason. The request says which
 * functions stand for tools of other kinds, and which ids the thread already has.
 */
export function decodeStream(request?: ModelRequest): StreamDecoder {
  let events: ModelEvent[] = [];
  const emit = (event: ModelEvent) => void events.push(event);
  let history: readonly Item[] = request?.input ?? [];
  let key: string | undefined;
  const response: OpenResponse = {
    emit,
    blocks: createOpenBlocks({
      key() {
        key ??= request?.itemKey ?? responseKey(response.id ?? '', history);
        history = [];
        return key;
      },
      tools: declaredTools(request?.tools ?? []),
      emit,
    }),
    id: undefined,
    stop: undefined,
    stopped: false,
    usage: undefined,
    failure: undefined,
    over: false,
  };
  const during = (step: () => void): readonly ModelEvent[] => {
    events = [];
    if (!response.over) step();
    return events;
  };
  return {
    push: (frame: RunningFrame) =>
      during(() => {
        if (frame.text !== undefined && response.id !== undefined) response.blocks.addText(frame.text);
        // Keep-alives and torn lines are not events.
        else takeEvent(fieldsOf(frameValue(frame)), response);
      }),
    end: () => during(() => takeEnd(response)),
  };
}

interface OpenResponse {
  readonly emit: (event: ModelEvent) => void;
  readonly blocks: OpenBlocks;
  /** Set by the first event of the response. */
  id: string | undefined;
  /** Reason why the model stopped. */
  stop: string | undefined;
  /** Whether nothing of the answer has come after that reason. */
  stopped: boolean;
  usage: Fields | undefined;
  failure: FailedEvent | undefined;
  over: boolean;
}

type FailedEvent = Extract<ModelEvent, { type: 'failed' }>;
type Step = (event: Fields, response: OpenResponse) => void;

function takeEvent(event: Fields, response: OpenResponse): void {
  const error = errorOf(event);
  if (error !== undefined) fail({ type: 'failed', ...error }, response);
  else if (isWholeMessage(event)) takeMessage(event, response);
  else STEPS.get(event.type)?.(event, response);
}

const STEPS: ReadonlyMap<unknown, Step> = new Map<unknown, Step>([
  ['message_start', ({ message }, response) => takeStart(fieldsOf(message), response)],
  [
    'content_block_start',
    duringAnswer(({ index, content_block: block }, { blocks }) => blocks.start(index, fieldsOf(block))),
  ],
  ['content_block_delta', duringAnswer(({ index, delta }, { blocks }) => blocks.continue(index, fieldsOf(delta)))],
  ['content_block_stop', ({ index }, { blocks }) => blocks.stop(index)],
  [
    'message_delta',
    ({ delta, usage }, response) => {
      begin({}, response);
      response.usage = mergeUsage(response.usage, usage);
      takeStop(fieldsOf(delta).stop_reason, response);
    },
  ],
  ['message_stop', (_event, response) => finishResponse(response)],
]);

/** Returns a step for a part of the answer, which may come after a stop reason. */
function duringAnswer(step: Step): Step {
  return (event, response) => {
    begin({}, response);
    response.stopped = false;
    step(event, response);
  };
}

/** Begins the response. A server may leave out the first event, or the id in it. */
function begin(message: Fields, response: OpenResponse): void {
  response.usage = mergeUsage(response.usage, message.usage);
  if (response.id !== undefined) return;
  response.id = wordOf(message.id) ?? 'msg';
  response.emit({ type: 'created', responseId: response.id });
}

/** Begins the response. Servers that run tools may send the content with the beginning. */
function takeStart(message: Fields, response: OpenResponse): void {
  const isFirst = response.id === undefined;
  begin(message, response);
  if (isFirst) takeContent(message, response);
}

/** Accepts a message that came in one piece. */
function takeMessage(message: Fields, response: OpenResponse): void {
  begin(message, response);
  takeContent(message, response);
  finishResponse(response);
}

function takeContent(message: Fields, response: OpenResponse): void {
  const content: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  for (const [index, block] of content.entries()) {
    if (!isRecord(block)) continue;
    response.blocks.start(index, block);
    response.blocks.stop(index);
  }
  takeStop(message.stop_reason, response);
}

/** Reasons that end a response early, with their names in a `ModelEvent`. */
const CUT_OFF: ReadonlyMap<string | undefined, string> = new Map([
  ['max_tokens', 'max_output_tokens'],
  ['model_context_window_exceeded', 'max_output_tokens'],
  ['refusal', 'content_filter'],
]);

/** Reason of a model that wants to go on in another response, although it called nothing. */
const PAUSED = 'pause_turn';

function takeStop(reason: unknown, response: OpenResponse): void {
  const stop = wordOf(reason);
  if (stop === undefined) return;
  response.stop = stop;
  response.stopped = true;
  closeBlocks(response);
}

/** Completes the open items. A call that was cut off must not run. */
function closeBlocks(response: OpenResponse): void {
  const nameless = response.blocks.close(CUT_OFF.has(response.stop) ? 'drop' : 'complete');
  if (nameless === 0) return;
  const message = 'The server sent a tool call without the name of a tool.';
  response.failure = { type: 'failed', code: 'invalid_response', message };
}

function takeEnd(response: OpenResponse): void {
  if (response.stopped) finishResponse(response);
  else fail({ type: 'failed', code: 'stream_closed', message: 'stream closed before message_stop' }, response);
}

function finishResponse(response: OpenResponse): void {
  if (response.id === undefined) {
    const message = 'The server ended the response without sending any answer. Try again.';
    fail({ type: 'failed', code: 'invalid_response', message }, response);
    return;
  }
  closeBlocks(response);
  if (response.failure !== undefined) fail(response.failure, response);
  else {
    response.over = true;
    response.emit(ending(response));
  }
}

function fail(failure: FailedEvent, response: OpenResponse): void {
  response.over = true;
  response.emit(failure);
}

function ending({ id: responseId = '', usage, stop }: OpenResponse): ModelEvent {
  const reason = CUT_OFF.get(stop);
  const tokens = readUsage(usage);
  if (reason !== undefined) return { type: 'incomplete', responseId, reason, usage: tokens };
  return { type: 'completed', responseId, usage: tokens, endTurn: stop === PAUSED ? false : null };
}
