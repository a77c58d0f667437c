import { isRecord } from '../../../src/base/json-schema.ts';
import type { Quirk, Refusal } from './quirky-server.ts';
import type { Fields, SmallAnswer } from './small-model.ts';

/** A quirk, and what the probe must say about it. */
export interface Planted extends Quirk {
  /** Ids that the probe reports, in any order. */
  readonly quirks: readonly string[];
  /** Settings of `compat` in the entry, by the names of config.toml. */
  readonly compat?: Fields;
  /** Part of the sentence of a finding without an id. */
  readonly says?: string;
}

type Edit = (delta: Fields, choice: Fields) => Fields;

/** Edits the delta of every chunk that has one. */
function deltas(chunks: readonly Fields[], edit: Edit): readonly Fields[] {
  return chunks.map((chunk) => {
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    if (choice === undefined || !isRecord(choice.delta)) return chunk;
    return { ...chunk, choices: [{ ...choice, delta: edit(choice.delta, choice) }] };
  });
}

/** Edits the pieces of calls. */
function pieces(chunks: readonly Fields[], edit: (piece: Fields) => Fields): readonly Fields[] {
  return deltas(chunks, (delta) =>
    Array.isArray(delta.tool_calls) ? { ...delta, tool_calls: delta.tool_calls.filter(isRecord).map(edit) } : delta,
  );
}

/** Edits the finish reason of the chunks. */
function finishes(chunks: readonly Fields[], edit: (finish: unknown) => unknown): readonly Fields[] {
  return chunks.map((chunk) => {
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    return choice === undefined
      ? chunk
      : { ...chunk, choices: [{ ...choice, finish_reason: edit(choice.finish_reason) }] };
  });
}

/** Sends each call in one piece, with its arguments changed. */
function whole(edit: (args: string) => unknown): NonNullable<Quirk['chunks']> {
  return (chunks, { calls }) => {
    const rest = chunks.filter((chunk) => !JSON.stringify(chunk).includes('"tool_calls":'));
    const [head] = chunks;
    const made = calls.map(({ id, name, arguments: args }, index) => ({
      ...head,
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index, id, type: 'function', function: { name, arguments: edit(JSON.stringify(args)) } }],
          },
          finish_reason: null,
        },
      ],
    }));
    return [...rest.slice(0, 1), ...made, ...rest.slice(1)];
  };
}

/** Writes the calls of an answer into its text. */
function inText(write: (name: string, args: Fields) => string): NonNullable<Quirk['answer']> {
  return ({ text, calls }): SmallAnswer => ({
    text: text + calls.map(({ name, arguments: args }) => write(name, args)).join('\n'),
    calls: [],
  });
}

const refusing = (field: string, refusal: Refusal) => (body: Fields) => (field in body ? refusal : undefined);

function messages({ messages: list }: Fields): readonly Fields[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Returns the history of the calls in a request. */
function sentCalls(body: Fields): readonly Fields[] {
  return messages(body).flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls.filter(isRecord) : []));
}

const THOUGHT = 'I think about it.';
const thinking: NonNullable<Quirk['answer']> = (answer) => ({ ...answer, reasoning: THOUGHT });

/** Quirks of every kind, by names. */
export const PLANTED: Readonly<Record<string, Planted>> = {
  'stop instead of tool_calls': {
    quirks: ['A1'],
    chunks: (chunks) => finishes(chunks, (finish) => (finish === 'tool_calls' ? 'stop' : finish)),
  },
  'an empty finish reason in the middle': {
    quirks: ['A2'],
    chunks: (chunks) => finishes(chunks, (finish) => finish ?? ''),
  },
  'no finish reason': { quirks: ['A5'], chunks: (chunks) => finishes(chunks, () => null) },
  'a finish reason of another protocol': {
    quirks: ['A7'],
    chunks: (chunks) =>
      finishes(chunks, (finish) => (finish === 'tool_calls' ? 'tool_use' : finish === 'stop' ? 'end_turn' : finish)),
  },
  'no finish reason key': {
    quirks: ['A3'],
    chunks: (chunks) => finishes(chunks, (finish) => finish ?? undefined),
  },
  'no end mark': {
    quirks: [],
    says: 'without an end mark',
    text: (text) => text.replace('data: [DONE]\n\n', ''),
  },
  'calls without an index': {
    quirks: ['B1'],
    chunks: (chunks) => pieces(chunks, ({ index: _, ...piece }) => piece),
  },
  'calls without an id': { quirks: ['B3'], chunks: (chunks) => pieces(chunks, ({ id: _, ...piece }) => piece) },
  'the name in every piece': {
    quirks: ['B5'],
    chunks: (chunks, { calls }) =>
      pieces(chunks, (piece) => ({
        ...piece,
        function: { name: calls[Number(piece.index)]?.name, ...(isRecord(piece.function) ? piece.function : {}) },
      })),
  },
  'parallel calls under one index': {
    quirks: ['B6'],
    chunks: (chunks) => pieces(chunks, (piece) => ({ ...piece, index: 0 })),
  },
  'ids that come again': {
    quirks: ['B8'],
    answer: (answer) => ({ ...answer, calls: answer.calls.map((call) => ({ ...call, id: 'call_0' })) }),
  },
  'only ids of nine characters': {
    quirks: ['B9'],
    compat: { call_ids: 'nine' },
    refuse: (body) =>
      sentCalls(body).some(({ id }) => !/^[A-Za-z0-9]{9}$/.test(String(id)))
        ? { message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.' }
        : undefined,
  },
  'arguments as an object': { quirks: ['C1'], chunks: whole((args) => JSON.parse(args)) },
  'arguments encoded twice': { quirks: ['C2'], chunks: whole((args) => JSON.stringify(args)) },
  'the same arguments twice': { quirks: ['C5'], chunks: whole((args) => args + args) },
  'arguments escaped as HTML': {
    quirks: ['C8'],
    compat: { html_entities: true },
    answer: (answer) => ({
      ...answer,
      calls: answer.calls.map((call) => ({ ...call, arguments: escaped(call.arguments) })),
    }),
  },
  'numbers as texts': {
    quirks: ['C10'],
    answer: (answer) => ({
      ...answer,
      calls: answer.calls.map((call) => ({
        ...call,
        arguments: Object.fromEntries(Object.entries(call.arguments).map(([key, value]) => [key, String(value)])),
      })),
    }),
  },
  'calls as JSON between tags': {
    quirks: ['D1'],
    answer: inText((name, args) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`),
  },
  'calls as function tags': {
    quirks: ['D2'],
    answer: inText(
      (name, args) =>
        `<function=${name}>\n${Object.entries(args)
          .map(([key, value]) => `<parameter=${key}>\n${String(value)}\n</parameter>`)
          .join('\n')}\n</function>`,
    ),
  },
  'calls after a bracketed marker': {
    quirks: ['D10'],
    answer: inText((name, args) => `[TOOL_CALLS][${JSON.stringify({ name, arguments: args })}]`),
  },
  'reasoning between tags': {
    quirks: ['E2'],
    answer: (answer) => ({ ...answer, text: `<think>${THOUGHT}</think>${answer.text}` }),
  },
  'only the closing tag of reasoning': {
    quirks: ['E3'],
    compat: { thinking: 'open' },
    answer: (answer) => ({ ...answer, text: `${THOUGHT}\n</think>\n\n${answer.text}` }),
  },
  'reasoning that must go back': {
    quirks: ['E4'],
    compat: { send_reasoning: 'all' },
    answer: thinking,
    refuse: (body) =>
      messages(body).some(
        ({ role, tool_calls, reasoning_content }) => role === 'assistant' && tool_calls && !reasoning_content,
      )
        ? { message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2' }
        : undefined,
  },
  'reasoning that must not go back': {
    quirks: ['E5'],
    compat: { send_reasoning: 'none' },
    answer: thinking,
    refuse: (body) =>
      messages(body).some((message) => 'reasoning_content' in message)
        ? { message: "property 'reasoning_content' is unsupported" }
        : undefined,
  },
  'comments between events': { quirks: ['F1'], text: (text) => `: keep-alive\n\n${text}` },
  'comments as data': { quirks: ['F2'], text: (text) => text.replace('\n\n', '\n\ndata: : keep-alive\n\n') },
  'lines that end with CR LF': { quirks: ['F5'], text: (text) => text.replaceAll('\n', '\r\n') },
  'a whole body': { quirks: ['F13'], whole: true },
  'usage without choices': {
    quirks: ['F14'],
    chunks: (chunks) =>
      chunks.map(({ choices, ...chunk }) => (chunk.usage === undefined ? { ...chunk, choices } : chunk)),
  },
  'no usage': { quirks: ['F16'], chunks: (chunks) => chunks.filter(({ usage }) => usage === undefined) },
  'no role developer': {
    quirks: ['G1'],
    compat: { developer_role: 'system' },
    refuse: (body) =>
      messages(body).some(({ role }) => role === 'developer')
        ? { message: 'unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`' }
        : undefined,
  },
  'one system message at the beginning': {
    quirks: ['G2'],
    compat: { system_messages: 'one' },
    refuse: (body) =>
      messages(body)
        .slice(1)
        .some(({ role }) => role === 'system' || role === 'developer')
        ? { message: 'System message must be at the beginning.' }
        : undefined,
  },
  'an unknown field': {
    quirks: ['G3'],
    compat: { drop_fields: ['parallel_tool_calls'] },
    refuse: refusing('parallel_tool_calls', {
      message: 'Unknown parameter: parallel_tool_calls',
      param: 'parallel_tool_calls',
      code: 'unknown_parameter',
    }),
  },
  'a refusal without a reason': {
    quirks: ['G3'],
    compat: { drop_fields: ['temperature'] },
    refuse: refusing('temperature', { message: 'Bad Request' }),
  },
  'only the newer token limit': {
    quirks: ['G4'],
    compat: { max_tokens: 'max_completion_tokens' },
    refuse: refusing('max_tokens', {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      param: 'max_tokens',
      code: 'unsupported_parameter',
    }),
  },
  'no forced tool': {
    quirks: ['G5'],
    compat: { tool_choice: 'auto' },
    refuse: ({ tool_choice }) =>
      tool_choice === 'required' || isRecord(tool_choice)
        ? { message: 'Thinking mode does not support this tool_choice' }
        : undefined,
  },
  'no content that is null': {
    quirks: ['G7'],
    compat: { empty_content: 'empty' },
    refuse: (body) =>
      messages(body).some(({ content }) => content === null)
        ? { message: 'invalid message content type: <nil>' }
        : undefined,
  },
  'no images in results': {
    quirks: [],
    refuse: (body) =>
      messages(body).some(({ role, content }) => role === 'tool' && JSON.stringify(content).includes('image_url'))
        ? { message: "Image URLs are only allowed for messages with role 'user'" }
        : undefined,
  },
  'no type next to anyOf': {
    quirks: ['G9'],
    compat: { schemas: ['typed_branches'] },
    refuse: ({ tools }) =>
      /"type":"string","anyOf"/.test(JSON.stringify(tools ?? []))
        ? { message: 'not a valid flavored json schema: when using anyOf, type should be defined in anyOf items' }
        : undefined,
  },
  'basic keywords only': {
    quirks: ['G10'],
    compat: { schemas: ['plain'] },
    refuse: ({ tools }) =>
      /exclusiveMinimum/.test(JSON.stringify(tools ?? []))
        ? {
            message:
              'Invalid JSON payload received. Unknown name "exclusiveMinimum" at \'tools[0].function.parameters\': Cannot find field.',
          }
        : undefined,
  },
  'no patterns': {
    quirks: ['G11'],
    compat: { schemas: ['no_patterns'] },
    refuse: ({ tools }) =>
      /"pattern"/.test(JSON.stringify(tools ?? [])) ? { message: 'failed to parse grammar' } : undefined,
  },
  'plain names of tools only': {
    quirks: ['G12'],
    compat: { tool_names: 'plain' },
    refuse: ({ tools }) =>
      /"name":"[^"]*[./]/.test(JSON.stringify(tools ?? []))
        ? { message: "Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'." }
        : undefined,
  },
  'no tool_choice': {
    quirks: ['G13'],
    compat: { tool_choice: 'omit' },
    refuse: refusing('tool_choice', {
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    }),
  },
  'one stop word': {
    quirks: ['G14'],
    compat: { max_stops: 1 },
    refuse: ({ stop }) =>
      Array.isArray(stop) && stop.length > 1 ? { message: 'stop: only one stop word is allowed' } : undefined,
  },
  'a forced tool that is ignored': {
    quirks: [],
    says: 'required was accepted and not obeyed',
    answer: (answer, { tool_choice }) => (tool_choice === 'required' ? { text: 'Hello, Ada.', calls: [] } : answer),
  },
  'instructions that are ignored': {
    quirks: [],
    says: 'did not obey the instructions',
    answer: (answer) => ({ ...answer, text: answer.text.replace('oxbow ', '') }),
  },
};

function escaped(args: Fields): Fields {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.replace(/[&<>"]/g, (character) => entities[character] ?? '') : value,
    ]),
  );
}
