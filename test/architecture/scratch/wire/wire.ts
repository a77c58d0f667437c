import { UserError } from '../../../../src/base/errors.ts';
import { type Item, isCall } from '../../../../src/base/item.ts';
import { isRecord } from '../../../../src/base/json-schema.ts';
import type { ModelEvent, ModelRequest } from '../../../../src/base/model.ts';
import type { StreamEncoder } from '../../../../src/base/wire.ts';
import type { Wire } from '../../../../src/wire/edge/wire.ts';
import { decodeTool } from '../../../../src/wire/fields/decode-tool.ts';
import { listOf, object, optional, string, wrong } from '../../../../src/wire/fields/request-fields.ts';
import { client, messageText } from './client.ts';
import { edge } from './edge.ts';

export const wire: Wire = { ...client, decodeRequest, encodeStream, encodeBody, edge };

function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('invalid_input', 'The body of the request must be a JSON object.');
  return {
    model: string(body.model, 'model'),
    instructions: optional(body.system, 'system', string) ?? '',
    input: listOf(decodeTurn)(body.turns, 'turns'),
    tools: optional(body.tools, 'tools', listOf(decodeTool)) ?? [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
  };
}

function decodeTurn(value: unknown, field: string): Item {
  const { user, assistant, call, result } = object(value, field);
  if (typeof user === 'string') {
    return { type: 'message', role: 'user', content: [{ type: 'input_text', text: user }] };
  }
  if (typeof assistant === 'string') {
    return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: assistant }] };
  }
  if (isRecord(call)) {
    const { id, name, input } = call;
    const call_id = string(id, `${field}.call.id`);
    return {
      type: 'function_call',
      name: string(name, `${field}.call.name`),
      arguments: string(input, `${field}.call.input`),
      call_id,
    };
  }
  if (!isRecord(result)) throw wrong(field, 'a turn');
  const call_id = string(result.id, `${field}.result.id`);
  return { type: 'function_call_output', call_id, output: string(result.text, `${field}.result.text`) };
}

function encodeStream(): StreamEncoder {
  const lines = linesOf();
  return { push: (event) => lines(event).map((line) => ({ data: JSON.stringify(line) })) };
}

function encodeBody(events: readonly ModelEvent[]): unknown {
  const lines = events.flatMap(linesOf());
  const said = lines.map((line) => ('say' in line ? line.say : '')).join('');
  const calls = lines.flatMap((line) => ('call' in line ? [line.call] : []));
  return lines.find((line) => 'error' in line) ?? { ...lines[0], say: said, calls, ...lines.at(-1) };
}

/** Returns the lines for an event. The end of a message repeats the text that its pieces left out. */
function linesOf(): (event: ModelEvent) => readonly Readonly<Record<string, unknown>>[] {
  const said = new Map<unknown, string>();
  return (event) => {
    switch (event.type) {
      case 'created':
        return [{ id: event.responseId }];
      case 'text.delta':
        said.set(event.itemId, (said.get(event.itemId) ?? '') + event.delta);
        return [{ say: event.delta }];
      case 'item.done':
        return itemLines(event.item, said.get(event.item.id) ?? '');
      case 'completed':
        return [{ over: true, ...(event.usage && { usage: event.usage }) }];
      case 'incomplete':
        return [{ over: true, cut: event.reason, ...(event.usage && { usage: event.usage }) }];
      case 'failed':
        return [{ error: { code: event.code, message: event.message } }];
      default:
        return [];
    }
  };
}

function itemLines(item: Item, said: string): readonly Readonly<Record<string, unknown>>[] {
  if (isCall(item) && item.type !== 'local_shell_call') {
    const input = item.type === 'function_call' ? item.arguments : item.input;
    return [{ call: { id: item.call_id, name: item.name, input } }];
  }
  const rest = item.type === 'message' ? messageText(item).slice(said.length) : '';
  return rest === '' ? [] : [{ say: rest }];
}
