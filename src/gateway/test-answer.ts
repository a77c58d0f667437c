import { isRecord } from '../base/json-schema.ts';
import { sse } from '../wire/framing/sse.ts';

/** The content of an answer, independent of its wire and of whether it was streamed. */
export interface Understood {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  readonly end: string;
  readonly usage: unknown;
}

/** The wires in which tests read answers. */
export type TestedWire = 'responses' | 'chat';

type Fields = Readonly<Record<string, unknown>>;

export const PATHS: Readonly<Record<TestedWire, string>> = {
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
};

/** Returns the parsed data of the events in a stream. End marks are returned as they are. */
export function eventsIn(text: string): readonly Fields[] {
  const reader = sse.createReader();
  const frames = [...reader.push(Buffer.from(text)), ...reader.end()];
  return frames.map(({ data }) => (data === '[DONE]' ? { done: true } : (JSON.parse(data) as Fields)));
}

/** Returns a request with one user message and one tool. */
export function requestFor(wire: TestedWire, fields: object = {}): object {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const tool = { name: 'weather', description: 'The weather.', parameters };
  return wire === 'chat'
    ? {
        model: 'alias',
        messages: [{ role: 'user', content: 'Hello' }],
        tools: [{ type: 'function', function: tool }],
        ...fields,
      }
    : { model: 'alias', input: 'Hello', tools: [{ type: 'function', ...tool }], ...fields };
}

export function understood(wire: TestedWire, text: string, stream: boolean): Understood {
  if (wire === 'responses') {
    const last = stream ? eventsIn(text).at(-1)?.response : JSON.parse(text);
    return fromResponse(last as Fields);
  }
  return stream ? fromChunks(eventsIn(text)) : fromCompletion(JSON.parse(text) as Fields);
}

function fromResponse(response: Fields): Understood {
  const items = response.output as readonly Fields[];
  const ofType = (type: string) => items.filter((item) => item.type === type);
  const texts = (list: unknown) => (list as readonly { text: string }[]).map((part) => part.text).join('');
  return {
    text: ofType('message')
      .map(({ content }) => texts(content))
      .join(''),
    reasoning: ofType('reasoning')
      .map(({ summary, content }) => texts(summary) || texts(content ?? []))
      .join(''),
    calls: ofType('function_call').map((call) => ({
      id: String(call.call_id),
      name: String(call.name),
      args: String(call.arguments),
    })),
    end: String(response.status),
    usage: response.usage,
  };
}

function fromCompletion({ choices, usage }: Fields): Understood {
  const [choice] = choices as readonly Fields[];
  const message = choice?.message as Fields;
  const calls = (message.tool_calls ?? []) as readonly { id: string; function: { name: string; arguments: string } }[];
  return {
    text: String(message.content ?? ''),
    reasoning: String(message.reasoning_content ?? ''),
    calls: calls.map((call) => ({ id: call.id, name: call.function.name, args: call.function.arguments })),
    end: ENDS[String(choice?.finish_reason)] ?? String(choice?.finish_reason),
    usage,
  };
}

const ENDS: Readonly<Record<string, string>> = { stop: 'completed', tool_calls: 'completed', length: 'incomplete' };

interface Delta {
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { index: number; id?: string; function: { name?: string; arguments?: string } }[];
}

function fromChunks(chunks: readonly Fields[]): Understood {
  const calls: { id: string; name: string; args: string }[] = [];
  let text = '';
  let reasoning = '';
  let end = '';
  let usage: unknown;
  for (const chunk of chunks) {
    if (isRecord(chunk.usage)) usage = chunk.usage;
    const [choice] = (chunk.choices ?? []) as readonly Fields[];
    const { content, reasoning_content, tool_calls = [] } = (choice?.delta ?? {}) as Delta;
    text += content ?? '';
    reasoning += reasoning_content ?? '';
    for (const piece of tool_calls) {
      const call = calls[piece.index] ?? { id: '', name: '', args: '' };
      calls[piece.index] = call;
      call.id += piece.id ?? '';
      call.name += piece.function.name ?? '';
      call.args += piece.function.arguments ?? '';
    }
    if (typeof choice?.finish_reason === 'string') end = ENDS[choice.finish_reason] ?? choice.finish_reason;
  }
  return { text, reasoning, calls, end, usage };
}
