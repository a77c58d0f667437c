import { isRecord } from '../base/json-schema.ts';
import { ndjson } from '../wire/framing/ndjson.ts';
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
export type TestedWire = keyof typeof WIRES;

type Fields = Readonly<Record<string, unknown>>;

const TOOL = { name: 'weather', description: 'The weather.' };
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };
const FUNCTION = { type: 'function', function: { ...TOOL, parameters: PARAMETERS } };
const HELLO = { messages: [{ role: 'user', content: 'Hello' }] };

interface AnswerReader {
  readonly path: string;
  /** A request with one user message and one tool. */
  readonly request: object;
  readonly fromStream: (events: readonly Fields[]) => Understood;
  readonly fromBody: (body: Fields) => Understood;
  /** Returns the error in the body of a refused request. */
  readonly errorIn: (body: Fields) => Fields;
}

const WIRES = {
  responses: {
    path: '/v1/responses',
    request: { input: 'Hello', tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS }] },
    fromStream: (events) => fromResponse(events.at(-1)?.response as Fields),
    fromBody: fromResponse,
    errorIn: plainError,
  },
  chat: {
    path: '/v1/chat/completions',
    request: { ...HELLO, tools: [FUNCTION] },
    fromStream: fromChunks,
    fromBody: fromCompletion,
    errorIn: plainError,
  },
  messages: {
    path: '/v1/messages',
    request: { ...HELLO, max_tokens: 1000, tools: [{ ...TOOL, input_schema: PARAMETERS }] },
    fromStream: fromBlocks,
    fromBody: fromMessage,
    errorIn: plainError,
  },
  ollama: {
    path: '/api/chat',
    request: { ...HELLO, tools: [FUNCTION] },
    fromStream: fromLines,
    fromBody: (body) => fromLines([body]),
    errorIn: ({ error }) => ({ message: error }),
  },
} satisfies Record<string, AnswerReader>;

export const TESTED_WIRES = Object.keys(WIRES) as readonly TestedWire[];

const readerOf = (wire: TestedWire): AnswerReader => WIRES[wire];

export const PATHS = Object.fromEntries(TESTED_WIRES.map((wire) => [wire, WIRES[wire].path])) as Readonly<
  Record<TestedWire, string>
>;

/** Returns the parsed data of the events in a stream. End marks are returned as they are. */
export function eventsIn(text: string): readonly Fields[] {
  const reader = (text.startsWith('{') ? ndjson : sse).createReader();
  const frames = [...reader.push(Buffer.from(text)), ...reader.end()];
  return frames.map(({ data }) => (data === '[DONE]' ? { done: true } : (JSON.parse(data) as Fields)));
}

/** Returns a request with one user message and one tool. */
export function requestFor(wire: TestedWire, fields: object = {}): object {
  return { model: 'alias', ...readerOf(wire).request, ...fields };
}

/** Returns the error that a client reads in the body of a refused request. */
export function errorIn(wire: TestedWire, text: string): Fields {
  return readerOf(wire).errorIn(JSON.parse(text) as Fields);
}

export function understood(wire: TestedWire, text: string, stream: boolean): Understood {
  const reader = readerOf(wire);
  return stream ? reader.fromStream(eventsIn(text)) : reader.fromBody(JSON.parse(text) as Fields);
}

function plainError({ error }: Fields): Fields {
  return error as Fields;
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

const ENDS: Readonly<Record<string, string>> = {
  stop: 'completed',
  tool_calls: 'completed',
  end_turn: 'completed',
  tool_use: 'completed',
  length: 'incomplete',
  max_tokens: 'incomplete',
};

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

function fromMessage({ content, stop_reason, usage }: Fields): Understood {
  const blocks = content as readonly Fields[];
  const texts = (type: string, field: string) =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => block[field])
      .join('');
  return {
    text: texts('text', 'text'),
    reasoning: texts('thinking', 'thinking'),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: JSON.stringify(input) })),
    end: ENDS[String(stop_reason)] ?? String(stop_reason),
    usage,
  };
}

/** Reads the events of a stream as strictly as clients do: a block begins, goes on and ends in this order. */
function fromBlocks(events: readonly Fields[]): Understood {
  const blocks: Record<string, unknown>[] = [];
  let ending: Fields = {};
  let usage: unknown;
  for (const event of events) {
    const block = blocks[event.index as number];
    const delta = event.delta as Fields | undefined;
    if (event.type === 'content_block_start') blocks.push({ ...(event.content_block as Fields), json: '' });
    else if (event.type === 'content_block_delta' && block !== undefined && delta !== undefined) extend(block, delta);
    else if (event.type === 'content_block_stop' && block?.type === 'tool_use') {
      block.input = JSON.parse(String(block.json) || '{}');
    } else if (event.type === 'message_delta') {
      ending = delta ?? {};
      usage = event.usage;
    }
  }
  return fromMessage({ content: blocks, ...ending, usage });
}

function extend(block: Record<string, unknown>, delta: Fields): void {
  if (delta.type === 'text_delta') block.text = `${block.text}${delta.text}`;
  else if (delta.type === 'thinking_delta') block.thinking = `${block.thinking}${delta.thinking}`;
  else if (delta.type === 'input_json_delta') block.json = `${block.json}${delta.partial_json}`;
}

interface OllamaMessage {
  readonly content?: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly { id?: string; function: { name: string; arguments: unknown } }[];
}

function fromLines(lines: readonly Fields[]): Understood {
  const messages = lines.map(({ message }) => (message ?? {}) as OllamaMessage);
  const last = lines.at(-1) ?? {};
  return {
    text: messages.map(({ content = '' }) => content).join(''),
    reasoning: messages.map(({ thinking = '' }) => thinking).join(''),
    calls: messages
      .flatMap(({ tool_calls = [] }) => tool_calls)
      .map((call) => ({
        id: call.id ?? '',
        name: call.function.name,
        args: JSON.stringify(call.function.arguments),
      })),
    end: last.done === true ? (ENDS[String(last.done_reason)] ?? String(last.done_reason)) : '',
    usage: { prompt_eval_count: last.prompt_eval_count, eval_count: last.eval_count },
  };
}
