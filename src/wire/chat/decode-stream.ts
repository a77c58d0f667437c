import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Usage } from '../../base/usage.ts';
import type { StreamDecoder } from '../../base/wire.ts';
import { readFailure } from '../edge/read-failure.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import type { RunningFrame } from '../framing/text-runs.ts';
import { declaredTools } from '../lowering/declared-tools.ts';
import { responseKey } from '../lowering/own-ids.ts';
import { customForm } from './custom-form.ts';
import { isEndMark } from './end-mark.ts';
import { createOpenItems, type NumberedPiece, type OpenChatItems } from './open-items.ts';
import { extensionUsage, readUsage } from './usage-fields.ts';

/**
 * Returns a decoder of one response. All items are complete at the finish signal. The response is complete when the
 * usage follows that signal, at the end mark, or when the connection ends after the signal. The request says which
 * functions stand for tools of other kinds, and which ids the thread already has.
 */
export function decodeStream(request?: ModelRequest): StreamDecoder {
  let events: ModelEvent[] = [];
  const emit = (event: ModelEvent) => void events.push(event);
  let history: readonly Item[] = request?.input ?? [];
  let key: string | undefined;
  const response: OpenResponse = {
    emit,
    items: createOpenItems({
      key() {
        key ??= request?.itemKey ?? responseKey(response.id ?? '', history);
        history = [];
        return key;
      },
      tools: declaredTools(request?.tools ?? []),
      emit,
    }),
    id: undefined,
    choice: undefined,
    finish: undefined,
    stops: request?.sampling?.stop ?? [],
    stoppedAt: undefined,
    usage: null,
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
        if (frame.text !== undefined && response.id !== undefined) takeText(frame.text, response);
        else if (frame.json === undefined && isEndMark(frame)) takeMark(response);
        // Keep-alives and torn lines count as empty chunks.
        else takeChunk(fieldsOf(frameValue(frame)), response);
      }),
    end: () => during(() => takeEnd(response)),
  };
}

interface OpenResponse {
  readonly emit: (event: ModelEvent) => void;
  readonly items: OpenChatItems;
  /** Set by the first frame that belongs to the response. */
  id: string | undefined;
  /** Number of the choice that counts: the first to arrive. */
  choice: unknown;
  /** Reason why the model stopped. Anything that arrives later revokes it. */
  finish: string | undefined;
  /** Texts of the request at which the model stops. */
  readonly stops: readonly string[];
  /** The one of these at which it stopped, if the server says so. */
  stoppedAt: string | undefined;
  usage: Usage | null;
  /** Failure, held back until the end: a better report of it may follow. */
  failure: FailedEvent | undefined;
  over: boolean;
}

type FailedEvent = Extract<ModelEvent, { type: 'failed' }>;

function takeChunk(chunk: Fields, response: OpenResponse): void {
  if (isSet(chunk.error)) holdFailure(chunk.error, response);
  const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
  if (choices.length > 0 || text(chunk.id) !== '') begin(chunk, response);
  const usage = readUsage(chunk.usage);
  response.usage = usage ?? response.usage;
  for (const choice of choices) takeChoice(choice, response);
  if (response.finish !== undefined) response.usage ??= extensionUsage(chunk);
  if (usage !== null && choices.length === 0 && response.finish !== undefined) finishResponse(response);
}

function takeText(text: string, response: OpenResponse): void {
  response.items.addText('text', text);
  response.finish = undefined;
}

/** Begins the response. A server that sends no id still sends the time of creation. */
function begin(chunk: Fields, response: OpenResponse): void {
  if (response.id !== undefined) return;
  response.id = text(chunk.id) || `chat-${typeof chunk.created === 'number' ? chunk.created : 0}`;
  response.emit({ type: 'created', responseId: response.id });
}

function takeChoice(choice: Fields, response: OpenResponse): void {
  const number = choice.index ?? 0;
  response.choice ??= number;
  if (number !== response.choice) return;
  takeDelta(fieldsOf(choice.delta), response);
  const finish = text(choice.finish_reason);
  if (finish === 'error') holdFailure(choice.error, response);
  else if (finish !== '') {
    response.finish ??= finish;
    // vLLM has the first field, and SGLang the second.
    response.stoppedAt = response.stops.find((stop) => stop === choice.stop_reason || stop === choice.matched_stop);
    closeItems(response);
  }
}

function takeDelta(delta: Fields, response: OpenResponse): void {
  const { items } = response;
  const reasoning = reasoningOf(delta);
  if (reasoning !== '') items.addReasoning(reasoning);
  if (Array.isArray(delta.reasoning_details)) items.addDetails(delta.reasoning_details);
  const content = contentOf(delta.content);
  if (content !== '') items.addText('text', content);
  const refusal = text(delta.refusal);
  if (refusal !== '') items.addText('refusal', refusal);
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  for (const call of calls.filter(isRecord)) items.addCall(callPiece(call));
  if (!items.isEmpty()) response.finish = undefined;
}

/** Returns the reasoning of a delta. The text may come under two names: the first that is not empty counts. */
function reasoningOf({ reasoning_content, reasoning }: Fields): string {
  if (!isRecord(reasoning)) return text(reasoning_content) || text(reasoning);
  return text(reasoning_content) || text(reasoning.content) || text(reasoning.text);
}

function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return text(content);
  return content.map((part: unknown) => (isRecord(part) ? text(part.text) : '')).join('');
}

function callPiece(call: Fields): NumberedPiece {
  const custom = customForm(call);
  const form: Fields = custom ?? fieldsOf(call.function);
  return {
    index: typeof call.index === 'number' ? call.index : undefined,
    id: text(call.id),
    name: text(form.name),
    kind: custom === undefined ? 'function' : 'custom',
    input: text(custom === undefined ? form.arguments : form.input),
    extra: call.extra_content ?? undefined,
  };
}

/** Signals that end a response early, with the name of the reason in a `ModelEvent`. */
const CUT_OFF: ReadonlyMap<string | undefined, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

/**
 * Completes the open items. A call that was cut off must not run. After a failure or a limit, any call may have been
 * cut off.
 */
function closeItems(response: OpenResponse): void {
  if (response.failure !== undefined) return;
  const nameless = response.items.close(CUT_OFF.has(response.finish) ? 'drop' : 'complete');
  if (nameless === 0) return;
  response.failure = failed('invalid_response', 'The server sent a tool call without the name of a tool.');
}

function takeMark(response: OpenResponse): void {
  if (response.choice === undefined) response.failure ??= failed('invalid_response', NO_ANSWER);
  finishResponse(response);
}

const NO_ANSWER = 'The server ended the response without sending any answer. Try again.';

function takeEnd(response: OpenResponse): void {
  const broken = failed('stream_closed', 'stream closed before the finish signal');
  if (response.finish === undefined) response.failure ??= broken;
  finishResponse(response);
}

function finishResponse(response: OpenResponse): void {
  response.over = true;
  closeItems(response);
  response.emit(response.failure ?? ending(response));
}

function ending(response: OpenResponse): ModelEvent {
  begin({}, response);
  const { id: responseId = '', usage, finish, stoppedAt } = response;
  const reason = CUT_OFF.get(finish);
  if (reason !== undefined) return { type: 'incomplete', responseId, reason, usage };
  if (stoppedAt === undefined) return { type: 'completed', responseId, usage, endTurn: null };
  return { type: 'completed', responseId, usage, endTurn: null, stoppedAt };
}

function holdFailure(error: unknown, response: OpenResponse): void {
  const { code, message } = readFailure(error);
  const next = failed(code, message);
  // A failure may be reported twice. The report without a code is the poorer one.
  if (response.failure === undefined || next.code !== null) response.failure = next;
}

function failed(code: string | null, message: string): FailedEvent {
  return { type: 'failed', code, message };
}

/** Returns a text; empty for any other value, which means the same on this wire. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
