import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import type { Item, Output } from '../base/item.ts';
import type { ModelEvent, ModelRequest } from '../base/model.ts';
import { wholeText } from '../base/request-text.ts';
import type { ToolSpec } from '../base/tool.ts';
import { DEFAULT_COMPAT, type Frame } from '../base/wire.ts';
import { anyResponse } from './chat/fixtures/arbitrary-response.ts';
import { wire as chat } from './chat/wire.ts';
import { decodeOpaqueState, encodeOpaqueState } from './opaque/opaque-state.ts';
import { anyJson, plain } from './responses/fixtures/arbitrary-items.ts';
import { wire as responses } from './responses/wire.ts';

const compat = { ...DEFAULT_COMPAT, sendReasoning: 'all' as const };
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });

const TOOLS = [
  { type: 'function', name: 'shell', description: 'Runs.', strict: false, parameters: { type: 'object' } },
  { type: 'custom', name: 'apply_patch', description: 'Patches.', format: { type: 'text' } },
  {
    type: 'namespace',
    name: 'mcp__docs',
    tools: [
      { type: 'function', name: 'find', description: 'Finds.', parameters: { type: 'object' } },
      { type: 'custom', name: 'ask', description: 'Asks.' },
    ],
  },
] as unknown as ToolSpec[];

interface Called {
  readonly type: 'function_call' | 'custom_tool_call';
  readonly name: string;
  readonly namespace?: string;
  /** Name of the function on the chat wire. */
  readonly flat: string;
}

const CALLED: readonly Called[] = [
  { type: 'function_call', name: 'shell', flat: 'shell' },
  { type: 'custom_tool_call', name: 'apply_patch', flat: 'apply_patch' },
  { type: 'function_call', name: 'find', namespace: 'mcp__docs', flat: 'mcp__docs__find' },
  { type: 'custom_tool_call', name: 'ask', namespace: 'mcp__docs', flat: 'mcp__docs__ask' },
];

describe('a Responses request, sent on as chat', () => {
  const anyOutput: fc.Arbitrary<Output> = fc.oneof(
    text,
    fc.tuple(text, text).map(
      ([said, url]): Output => [
        { type: 'input_text', text: said },
        { type: 'input_image', image_url: url },
      ],
    ),
  );
  const anyCall = fc.record({ called: fc.constantFrom(...CALLED), input: text, output: anyOutput });
  const anyThought = fc.record({ text, details: fc.array(anyJson, { maxLength: 2 }), isExtra: fc.boolean() });
  const anyTurn = plain(
    fc.record({
      said: text,
      image: fc.option(text),
      thought: fc.option(anyThought),
      answer: fc.option(text),
      calls: fc.array(anyCall, { maxLength: 3 }),
    }),
  );
  type Turn = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never;

  const message = (role: 'user' | 'assistant', ...content: object[]) => ({ type: 'message', role, content }) as Item;
  const shown = ({ said, image }: Turn) =>
    message(
      'user',
      { type: 'input_text', text: said },
      ...(image === null ? [] : [{ type: 'input_image', image_url: image }]),
    );
  const answers = ({ answer }: Turn) =>
    answer === null ? [] : [message('assistant', { type: 'output_text', text: answer })];
  const idOf = (turn: number, call: number) => `call_${turn}_${call}`;
  const extraOf = ({ thought, calls }: Turn, turn: number) =>
    new Map(thought?.isExtra && calls.length > 0 ? [[idOf(turn, 0), { signature: 's' }]] : []);

  /** Returns the items that the client sends: its own items, with reasoning as the gateway sent it. */
  function sent(turn: Turn, n: number): Item[] {
    const { thought, calls } = turn;
    const reasoning = thought && {
      type: 'reasoning' as const,
      summary: [{ type: 'summary_text' as const, text: thought.text }],
      content: null,
      encrypted_content: encodeOpaqueState({ text: thought.text, details: thought.details, extra: extraOf(turn, n) }),
    };
    const items = calls.map(({ called: { flat: _, ...called }, input }, i) => ({
      ...called,
      call_id: idOf(n, i),
      ...(called.type === 'function_call' ? { arguments: input } : { input }),
    }));
    const outputs = calls.map(({ called, output }, i) => ({
      type: `${called.type}_output`,
      call_id: idOf(n, i),
      output,
    }));
    return [shown(turn), ...(reasoning ? [reasoning] : []), ...answers(turn), ...items, ...outputs] as Item[];
  }

  /** Returns the same items as chat can carry them: every tool is a function, and images follow the outputs. */
  function carried(turn: Turn, n: number): Item[] {
    const { thought, answer, calls } = turn;
    const extra = extraOf(turn, n);
    const isSpoken = answer !== null || calls.length > 0;
    const isCarried = (thought?.details.length ?? 0) > 0 || extra.size > 0;
    const reasoning: Item | null = thought && {
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: thought.text }],
      encrypted_content: isCarried ? encodeOpaqueState({ details: thought.details, extra }) : null,
    };
    const items = calls.map(
      ({ called, input }, i): Item => ({
        type: 'function_call',
        name: called.flat,
        arguments: called.type === 'function_call' ? input : JSON.stringify({ input }),
        call_id: idOf(n, i),
      }),
    );
    const outputs = calls.map(({ output }, i): Item => {
      const [first] = typeof output === 'string' ? [] : output;
      const said = first?.type === 'input_text' ? first.text : output;
      return { type: 'function_call_output', call_id: idOf(n, i), output: said };
    });
    const images = calls.flatMap(({ output }) => (typeof output === 'string' ? [] : output.slice(1)));
    return [
      shown(turn),
      ...(reasoning && isSpoken ? [reasoning] : []),
      ...answers(turn),
      ...items,
      ...outputs,
      ...(images.length === 0 ? [] : [message('user', ...images)]),
    ];
  }

  test('keeps everything that chat can carry', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 3 }), (turns) => {
        // A call without reasoning gets an empty text if other calls have reasoning. Another test covers that.
        fc.pre(turns.every(({ thought }) => thought !== null) || turns.every(({ thought }) => thought === null));
        const body = { model: 'm', instructions: 'Be brief.', input: turns.flatMap(sent), tools: TOOLS };
        const request = responses.decodeRequest(JSON.parse(JSON.stringify(body)));
        const decoded = chat.decodeRequest(JSON.parse(wholeText(chat.encodeRequest(request, compat))));
        expect(decoded.instructions).toBe('Be brief.');
        expect(decoded.input).toEqual(turns.flatMap(carried));
        expect(decoded.tools.map((tool) => ('name' in tool ? tool.name : tool.type))).toEqual(
          CALLED.map(({ flat }) => flat),
        );
      }),
      { numRuns: runs(300) },
    );
  });
});

const options = { model: 'm', createdAt: 1700000000, includeUsage: true };

const requestWith = (tools: readonly ToolSpec[], input: readonly Item[] = []): ModelRequest => ({
  model: 'm',
  instructions: '',
  input,
  tools,
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
});

type WireOf = Pick<typeof chat, 'encodeStream' | 'decodeStream'>;

function framesOf(wire: WireOf, events: readonly ModelEvent[], more = {}): readonly Frame[] {
  const encoder = wire.encodeStream({ ...options, ...more });
  return events.flatMap((event) => encoder.push(event));
}

function eventsOf(wire: WireOf, frames: readonly Frame[], request?: ModelRequest): readonly ModelEvent[] {
  const decoder = wire.decodeStream(request);
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

/** Responses that call the tools above, several at a time. */
const anyCalls = fc.tuple(anyResponse, fc.nat()).map(([events, seed]) => {
  const calls = new Map<string, Called>();
  const calledAt = (id: string, type: string): object => {
    const fitting = CALLED.filter((called) => called.type === type);
    const called = calls.get(id) ?? fitting[(seed + calls.size) % fitting.length];
    if (called === undefined) return {};
    calls.set(id, called);
    const { name, namespace } = called;
    return { name, ...(namespace !== undefined && { namespace }) };
  };
  return events.map((event): ModelEvent => {
    if (event.type !== 'item.started' && event.type !== 'item.done') return event;
    const { item } = event;
    const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
    return (isCall ? { ...event, item: { ...item, ...calledAt(String(item.id), item.type) } } : event) as ModelEvent;
  });
});

const doneItems = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

describe('a response', () => {
  test('passes through chat unchanged, given the tools of its request', () => {
    fc.assert(
      fc.property(anyCalls, (events) => {
        expect(eventsOf(chat, framesOf(chat, events), requestWith(TOOLS))).toStrictEqual(events);
      }),
      { numRuns: runs(300) },
    );
  });

  test('passes through the Responses wire unchanged', () => {
    fc.assert(
      fc.property(anyCalls, (events) => {
        const decoded = eventsOf(responses, framesOf(responses, events));
        // A custom call has a status on the Responses wire.
        const items = doneItems(decoded).map((item) => {
          if (item.type !== 'custom_tool_call') return item;
          const { status: _, ...rest } = item;
          return rest;
        });
        expect(items).toStrictEqual(doneItems(events));
        expect(decoded.filter(({ type }) => type !== 'item.done')).toStrictEqual(
          events.filter(({ type }) => type !== 'item.done'),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  test('of a chat server comes back from a Responses client as from a chat client', () => {
    fc.assert(
      fc.property(anyCalls, plain(fc.array(anyJson, { maxLength: 2 })), (events, details) => {
        const given = events.map((event): ModelEvent => {
          if (event.type !== 'item.done' || event.item.type !== 'reasoning' || details.length === 0) return event;
          return {
            ...event,
            item: { ...event.item, encrypted_content: encodeOpaqueState({ details, extra: new Map() }) },
          };
        });
        const frames = framesOf(responses, given, { sealReasoning: true });
        const kept = doneItems(eventsOf(responses, frames));
        const user = { role: 'user', content: 'go' };
        const clients = responses.decodeRequest({
          model: 'm',
          input: [user, ...kept.map(asClientsKeepIt)],
          tools: TOOLS,
        });
        const own = requestWith(clients.tools, [...clients.input.slice(0, 1), ...doneItems(given)]);
        expect(JSON.parse(wholeText(chat.encodeRequest(clients, compat)))).toEqual(
          JSON.parse(wholeText(chat.encodeRequest(own, compat))),
        );
      }),
      { numRuns: runs(300) },
    );
  });

  /** Removes the ids and fields that such clients do not keep. */
  function asClientsKeepIt(item: Item): object {
    const { id: _, ...rest } = item;
    return rest.type === 'reasoning'
      ? { type: rest.type, summary: [], encrypted_content: rest.encrypted_content }
      : rest;
  }

  test('shows its reasoning to a Responses client, for any events', () => {
    fc.assert(
      fc.property(anyCalls, (events) => {
        const data = framesOf(responses, events, { sealReasoning: true }).map((frame) => JSON.parse(frame.data));
        const raw = events.flatMap((event) => (event.type === 'reasoning.delta' ? [event.delta] : [])).join('');
        const deltas = data.filter(({ type }) => type === 'response.reasoning_summary_text.delta');
        expect(deltas.map(({ delta }) => delta).join('')).toBe(raw);
        expect(deltas.every(({ summary_index }) => summary_index === 0)).toBe(true);
        expect(data.some(({ type }) => type.startsWith('response.reasoning_text'))).toBe(false);
        for (const item of data.at(-1).response.output) {
          if (item.type !== 'reasoning') continue;
          expect(item.summary).toEqual([{ type: 'summary_text', text: raw }]);
          expect(decodeOpaqueState(item.encrypted_content)?.text).toBe(raw);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
