import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../base/model.ts';
import type { Frame, StreamDecoder } from '../../base/wire.ts';
import { fieldsOf, wordOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { type DeclaredTool, declaredTools } from '../lowering/declared-tools.ts';
import { type FunctionForm, fromFunctionForm, toolName } from '../lowering/function-form.ts';
import { callId, itemId, responseKey } from '../lowering/own-ids.ts';
import { failureIn, messageIn } from './inspect.ts';
import { argumentTexts } from './json-text.ts';
import { readUsage } from './usage-fields.ts';

/**
 * Returns a decoder of one response. A call comes whole, so it is complete at once, and so are the texts before it. All
 * else is complete with the line that says so, which also ends the response. The request says which functions stand for
 * tools of other kinds, and which ids the thread already has.
 */
export function decodeStream(request?: ModelRequest): StreamDecoder {
  const response: OpenResponse = {
    events: [],
    tools: declaredTools(request?.tools ?? []),
    history: request?.input ?? [],
    key: request?.itemKey,
    id: undefined,
    count: 0,
    reasoning: undefined,
    message: undefined,
    over: false,
  };
  const during = (step: () => void): readonly ModelEvent[] => {
    if (response.over) return NOTHING;
    response.events = [];
    step();
    return response.events;
  };
  return {
    push: (frame) =>
      during(() => {
        const line = frameValue(frame);
        // Torn lines and values of other protocols count as empty lines.
        if (isRecord(line)) take(line, frame, response);
      }),
    end: () => during(() => fail('stream_closed', 'stream closed before the line with done', response)),
  };
}

const NOTHING: readonly never[] = [];

interface OpenResponse {
  /** Events of the current frame. */
  events: ModelEvent[];
  readonly tools: ReadonlyMap<string, DeclaredTool>;
  history: readonly Item[];
  /** Text that ids of items are made of. */
  key: string | undefined;
  /** Set by the first line that belongs to the response. */
  id: string | undefined;
  /** Number of items that have begun. No two of them share an id. */
  count: number;
  reasoning: OpenText | undefined;
  message: OpenText | undefined;
  over: boolean;
}

interface OpenText {
  readonly id: string;
  text: string;
}

function take(line: Fields, frame: Frame, response: OpenResponse): void {
  const failure = failureIn(line);
  if (failure === undefined) takeLine(line, frame, response);
  else fail(failure.code, failure.message, response);
}

function takeLine(line: Fields, frame: Frame, response: OpenResponse): void {
  const isDone = line.done === true;
  if (!isDone && !isRecord(line.message) && typeof line.response !== 'string') return;
  begin(line, response);
  const { content, thinking, tool_calls } = messageIn(line);
  const thought = wordOf(thinking);
  if (thought !== undefined) addReasoning(thought, response);
  const said = wordOf(content);
  if (said !== undefined) addText(said, response);
  const cutOff = isDone ? CUT_OFF.get(line.done_reason) : undefined;
  // A call in the line that reports a limit may have been cut off, and must not run.
  if (Array.isArray(tool_calls) && cutOff === undefined) addCalls(tool_calls.filter(isRecord), frame, response);
  if (isDone && !response.over) finish(line, cutOff, response);
}

/** Reasons that end a response early, with the name of the reason in a `ModelEvent`. */
const CUT_OFF: ReadonlyMap<unknown, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

/** Begins the response. Its id is made of the time of its first line: the wire has no ids of responses. */
function begin({ created_at }: Fields, response: OpenResponse): void {
  if (response.id !== undefined) return;
  response.id = `ollama-${wordOf(created_at)?.replaceAll(/[^0-9A-Za-z]/g, '') || 0}`;
  response.events.push({ type: 'created', responseId: response.id });
}

function keyOf(response: OpenResponse): string {
  response.key ??= responseKey(response.id ?? '', response.history);
  response.history = NOTHING;
  return response.key;
}

function start(type: 'reasoning' | 'message', response: OpenResponse): OpenText {
  const id = itemId(type, keyOf(response), response.count++);
  response.events.push({ type: 'item.started', item: { type, id } });
  return { id, text: '' };
}

function addReasoning(delta: string, response: OpenResponse): void {
  response.reasoning ??= start('reasoning', response);
  response.reasoning.text += delta;
  response.events.push({ type: 'reasoning.delta', itemId: response.reasoning.id, kind: 'raw', delta });
}

function addText(delta: string, response: OpenResponse): void {
  response.message ??= start('message', response);
  response.message.text += delta;
  response.events.push({ type: 'text.delta', itemId: response.message.id, delta });
}

function addCalls(calls: readonly Fields[], frame: Frame, response: OpenResponse): void {
  if (calls.length === 0) return;
  closeTexts(response);
  const texts = argumentTexts(frame.data);
  for (const [at, call] of calls.entries()) {
    const { name, arguments: value } = fieldsOf(call.function);
    const written = texts.length === calls.length ? texts[at] : undefined;
    const args = isRecord(value) ? (written ?? JSON.stringify(value)) : argumentsText(value);
    if (typeof name === 'string' && name !== '') addCall({ name, arguments: args }, wordOf(call.id), response);
    else if (!response.over) fail('invalid_response', NO_NAME, response);
  }
}

function addCall(form: FunctionForm, sentId: string | undefined, response: OpenResponse): void {
  const { events, tools, over } = response;
  if (over) return;
  const key = keyOf(response);
  const place = response.count++;
  const tool = tools.get(form.name);
  const call_id = sentId ?? callId(key, place, form.name);
  const made = fromFunctionForm(form, { id: '', call_id }, tool);
  const id = itemId(made.type, key, place);
  const item = { ...made, id };
  const named = item.type === 'local_shell_call' ? {} : toolName(form.name, tool);
  events.push({ type: 'item.started', item: { type: item.type, id, ...named, callId: call_id } });
  const delta = inputOf(item);
  if (delta !== '') events.push({ type: 'input.delta', itemId: id, delta });
  events.push({ type: 'item.done', item });
}

const NO_NAME = 'The server sent a tool call without the name of a tool.';

/** Returns arguments that are not an object as a text. Some servers write the text of the object. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '{}' : JSON.stringify(value);
}

function inputOf(item: Item): string {
  if (item.type === 'custom_tool_call') return item.input;
  return item.type === 'function_call' ? item.arguments : '';
}

function closeTexts(response: OpenResponse): void {
  const { reasoning, message, events } = response;
  if (reasoning !== undefined) events.push({ type: 'item.done', item: reasoningItem(reasoning) });
  if (message !== undefined) events.push({ type: 'item.done', item: messageItem(message) });
  response.reasoning = undefined;
  response.message = undefined;
}

function reasoningItem({ id, text }: OpenText): Item {
  return { type: 'reasoning', id, summary: [], content: [{ type: 'reasoning_text', text }], encrypted_content: null };
}

function messageItem({ id, text }: OpenText): Item {
  return { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text }] };
}

function finish(line: Fields, cutOff: string | undefined, response: OpenResponse): void {
  response.over = true;
  closeTexts(response);
  const { id: responseId = '', events } = response;
  const usage = readUsage(line);
  if (cutOff === undefined) events.push({ type: 'completed', responseId, usage, endTurn: null });
  else events.push({ type: 'incomplete', responseId, reason: cutOff, usage });
}

/** Ends the response with a failure. Its open texts stay incomplete. */
function fail(code: string | null, message: string, response: OpenResponse): void {
  response.over = true;
  response.events.push({ type: 'failed', code, message });
}
