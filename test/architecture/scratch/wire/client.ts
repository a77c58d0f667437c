import type { Item } from '../../../../src/base/item.ts';
import { isRecord } from '../../../../src/base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../../../src/base/model.ts';
import { type RequestText, requestText } from '../../../../src/base/request-text.ts';
import { NO_USAGE, type Usage } from '../../../../src/base/usage.ts';
import type { ClientWire, StreamDecoder } from '../../../../src/base/wire.ts';
import type { Fields } from '../../../../src/wire/fields/request-fields.ts';
import { frameValue } from '../../../../src/wire/framing/frames.ts';
import { ndjson } from '../../../../src/wire/framing/ndjson.ts';

/** A tiny protocol over lines of JSON: `{model, turns}` is answered with `{"say": …}`, `{"call": …}` and `{"over": true}`. */
export const client: ClientWire = {
  name: 'scratch',
  path: '/scratch',
  framing: ndjson,
  headers: { 'x-scratch': '1' },
  credential: { name: 'x-scratch-key' },
  carries: { customTools: false, namespaces: false, localShell: false, hostedTools: false },
  forgetsReasoning: true,
  unsentTools: (tools) => [...new Set(tools.flatMap(({ type }) => (type === 'function' ? [] : [type])))],
  encodeRequest,
  decodeStream,
  isWholeAnswer: (text) => text.includes('"over"'),
};

function encodeRequest({ model, instructions, input, tools }: ModelRequest): RequestText {
  const functions = tools.filter(({ type }) => type === 'function');
  return requestText([
    ['model', JSON.stringify(model)],
    ['system', JSON.stringify(instructions)],
    ['turns', input.flatMap(turnOf).map((turn) => JSON.stringify(turn))],
    ['tools', JSON.stringify(functions)],
    ['stream', 'true'],
  ]);
}

function turnOf(item: Item): readonly object[] {
  switch (item.type) {
    case 'message':
      return [{ [item.role === 'assistant' ? 'assistant' : 'user']: messageText(item) }];
    case 'function_call':
      return [{ call: { id: item.call_id, name: item.name, input: item.arguments } }];
    case 'function_call_output':
      return [{ result: { id: item.call_id, text: String(item.output) } }];
    default:
      return [];
  }
}

export function messageText({ content }: Extract<Item, { type: 'message' }>): string {
  return content.map((part) => ('text' in part ? part.text : '')).join('');
}

function decodeStream(): StreamDecoder {
  const response: OpenResponse = { id: undefined, said: '', items: 0, over: false };
  return {
    push(frame) {
      const value = frameValue(frame);
      return response.over || !isRecord(value) ? [] : [...eventsOf(value, response)];
    },
    end() {
      const closed = { type: 'failed', code: 'stream_closed', message: 'the stream ended before it was over' } as const;
      return response.over ? [] : [closed];
    },
  };
}

interface OpenResponse {
  id: string | undefined;
  /** The text of the message that is open. */
  said: string;
  items: number;
  over: boolean;
}

function* eventsOf(value: Fields, response: OpenResponse): Generator<ModelEvent> {
  if (isRecord(value.error)) {
    response.over = true;
    const { code, message } = value.error;
    yield { type: 'failed', code: typeof code === 'string' ? code : null, message: String(message) };
    return;
  }
  if (response.id === undefined) {
    response.id = typeof value.id === 'string' ? value.id : 'scratch';
    yield { type: 'created', responseId: response.id };
  }
  if (typeof value.say === 'string' && value.say !== '') yield* say(value.say, response);
  for (const call of [value.call, ...(Array.isArray(value.calls) ? value.calls : [])].filter(isRecord)) {
    yield* closeMessage(response);
    yield* callEvents(call, response);
  }
  if (value.over !== true) return;
  yield* closeMessage(response);
  response.over = true;
  const { id: responseId } = response;
  const usage = readUsage(value);
  if (typeof value.cut === 'string') yield { type: 'incomplete', responseId, reason: value.cut, usage };
  else yield { type: 'completed', responseId, usage, endTurn: null };
}

function* say(delta: string, response: OpenResponse): Generator<ModelEvent> {
  const id = `msg_${response.items}`;
  if (response.said === '') yield { type: 'item.started', item: { type: 'message', id } };
  response.said += delta;
  yield { type: 'text.delta', itemId: id, delta };
}

function* closeMessage(response: OpenResponse): Generator<ModelEvent> {
  if (response.said === '') return;
  const content = [{ type: 'output_text' as const, text: response.said }];
  yield { type: 'item.done', item: { type: 'message', id: `msg_${response.items}`, role: 'assistant', content } };
  response.said = '';
  response.items++;
}

function* callEvents(call: Fields, response: OpenResponse): Generator<ModelEvent> {
  const id = `fc_${response.items++}`;
  const [callId, name, input] = [call.id, call.name, call.input].map((text) => (typeof text === 'string' ? text : ''));
  if (callId === undefined || name === undefined || input === undefined) return;
  yield { type: 'item.started', item: { type: 'function_call', id, name, callId } };
  if (input !== '') yield { type: 'input.delta', itemId: id, delta: input };
  yield { type: 'item.done', item: { type: 'function_call', id, name, arguments: input, call_id: callId } };
}

export function readUsage({ usage }: Fields): Usage | null {
  const isUsage = isRecord(usage) && Object.keys(NO_USAGE).every((name) => typeof usage[name] === 'number');
  return isUsage ? (usage as unknown as Usage) : null;
}
