import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Item } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { wholeText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { framesOf, REQUEST } from '../fixtures/conformance.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';
import { plain } from '../responses/fixtures/arbitrary-items.ts';
import { wire as responses } from '../responses/wire.ts';
import { anyArguments, anyResponse } from './fixtures/arbitrary-response.ts';
import { anyImage } from './fixtures/conformance.ts';
import { wire as ollama } from './wire.ts';

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
  /** Name of the function on the wire. */
  readonly flat: string;
}

const CALLED: readonly Called[] = [
  { type: 'function_call', name: 'shell', flat: 'shell' },
  { type: 'custom_tool_call', name: 'apply_patch', flat: 'apply_patch' },
  { type: 'function_call', name: 'find', namespace: 'mcp__docs', flat: 'mcp__docs__find' },
  { type: 'custom_tool_call', name: 'ask', namespace: 'mcp__docs', flat: 'mcp__docs__ask' },
];

describe('a Responses request, sent on over this wire', () => {
  const anyCall = plain(
    fc.record({ called: fc.constantFrom(...CALLED), args: anyArguments, output: text, image: fc.option(anyImage) }),
  );
  const anyTurn = fc.record({
    said: text,
    shown: fc.option(anyImage),
    thought: fc.option(text),
    calls: fc.array(anyCall),
  });
  type Turn = typeof anyTurn extends fc.Arbitrary<infer T> ? T : never;

  const message = (...content: object[]) => ({ type: 'message', role: 'user', content }) as Item;
  const idOf = (turn: number, call: number) => `call_${turn}_${call}`;
  const asked = ({ said, shown }: Turn) =>
    message({ type: 'input_text', text: said }, ...(shown === null ? [] : [shown]));

  function sent(turn: Turn, n: number): Item[] {
    const { thought, calls } = turn;
    const sealed = (hidden: string) => encodeOpaqueState({ text: hidden, details: [], extra: new Map() });
    return [
      asked(turn),
      ...(thought === null
        ? []
        : [{ type: 'reasoning', summary: [], content: null, encrypted_content: sealed(thought) }]),
      ...calls.map(({ called: { flat: _, ...called }, args }, i) => ({
        ...called,
        call_id: idOf(n, i),
        ...(called.type === 'function_call' ? { arguments: args } : { input: args }),
      })),
      ...calls.map(({ called, output, image }, i) => ({
        type: `${called.type}_output`,
        call_id: idOf(n, i),
        output: image === null ? output : [{ type: 'input_text', text: output }, image],
      })),
    ] as Item[];
  }

  /** Returns the same items as the wire can carry them: every tool is a function, and images follow the outputs. */
  function carried(turn: Turn, n: number): Item[] {
    const { thought, calls } = turn;
    const images = calls.flatMap(({ image }) => (image === null ? [] : [image]));
    const content = [{ type: 'reasoning_text' as const, text: thought ?? '' }];
    return [
      asked(turn),
      ...(thought === null || calls.length === 0
        ? []
        : [{ type: 'reasoning' as const, summary: [], content, encrypted_content: null }]),
      ...calls.map(
        ({ called, args }, i): Item => ({
          type: 'function_call',
          name: called.flat,
          arguments: called.type === 'function_call' ? args : JSON.stringify({ input: args }),
          call_id: idOf(n, i),
        }),
      ),
      ...calls.map(({ output }, i): Item => ({ type: 'function_call_output', call_id: idOf(n, i), output })),
      ...(images.length === 0 ? [] : [message(...images)]),
    ];
  }

  test('keeps everything that the wire can carry', () => {
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 3 }), (turns) => {
        const body = { model: 'm', instructions: 'Be brief.', input: turns.flatMap(sent), tools: TOOLS };
        const request = responses.decodeRequest(JSON.parse(JSON.stringify(body)));
        const decoded = ollama.decodeRequest(JSON.parse(wholeText(ollama.encodeRequest(request, compat))));
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

describe('a response', () => {
  test('passes through the wire unchanged, given the tools of its request', () => {
    fc.assert(
      fc.property(anyResponse, fc.nat(), (plainEvents, seed) => {
        const events = plainEvents.map((event) => asCalled(event, seed));
        const decoder = ollama.decodeStream({ ...REQUEST, tools: TOOLS });
        const decoded = framesOf(ollama, events).flatMap((frame) => decoder.push(frame));
        expect([...decoded, ...decoder.end()]).toStrictEqual(events);
      }),
      { numRuns: runs(300) },
    );
  });

  /** Replaces the function of a call by one of the tools above, chosen by the id of its item. */
  function asCalled(event: ModelEvent, seed: number): ModelEvent {
    const id = 'itemId' in event ? event.itemId : 'item' in event ? String(event.item.id) : '';
    const called = CALLED[(seed + Number(id.at(-1))) % CALLED.length];
    if (!id.startsWith('fc_') || called === undefined) return event;
    const { type, name, namespace } = called;
    const ownId = type === 'function_call' ? id : id.replace(/^fc/, 'ctc');
    const named = { type, id: ownId, name, ...(namespace !== undefined && { namespace }) };
    if (event.type === 'input.delta') return { ...event, itemId: ownId };
    if (event.type === 'item.started') return { ...event, item: { ...event.item, ...named } };
    if (event.type !== 'item.done' || event.item.type !== 'function_call') return event;
    const { arguments: args, call_id } = event.item;
    const input = type === 'function_call' ? { arguments: args } : { input: args };
    return { ...event, item: { ...named, call_id, ...input } as Item };
  }
});
