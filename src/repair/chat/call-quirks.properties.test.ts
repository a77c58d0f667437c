import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { chunk, DONE, piece, repairOnce, TOOLS } from './fixtures/repair-frames.ts';

interface Call {
  readonly name: string;
  readonly input: unknown;
}

const anyWord = fc.string({
  unit: fc.constantFrom('a', ' ', '"', '\\', '{', '}', '[', ',', ':', '\n', 'é'),
  maxLength: 6,
});

/** Generates a call whose arguments fit their tool. */
const anyCall: fc.Arbitrary<Call> = fc.oneof(
  anyWord.map((city) => ({ name: 'get_weather', input: { city } })),
  anyWord.map((path) => ({ name: 'read_file', input: { path } })),
  anyWord.map((path) => ({ name: 'read', input: { path } })),
  fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => ({ name: 'add', input: { a, b } })),
);

interface Piece {
  readonly call: number;
  readonly first: boolean;
  readonly name: string;
  readonly text: string;
}

/**
 * Generates the arguments of each call, cut at some places. `weave` decides in which order the pieces of the calls
 * come.
 */
function piecesOf(calls: readonly Call[], cuts: readonly number[], weave: readonly number[]): readonly Piece[] {
  const queues = calls.map(({ name, input }, call) => {
    const text = JSON.stringify(input);
    const places = [...new Set([0, ...cuts.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b);
    return places
      .slice(1)
      .map((end, n): Piece => ({ call, first: n === 0, name, text: text.slice(places[n] ?? 0, end) }));
  });
  const pieces: Piece[] = [];
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(weave[turn % weave.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) pieces.push(next);
  }
  return pieces;
}

/** Way in which servers write pieces. */
interface Style {
  readonly says: string;
  /** Whether the pieces of several calls may be mixed. */
  readonly weaves: boolean;
  /** Repairs that may be reported. */
  readonly repairs: readonly string[];
  write(piece: Piece): object;
}

const id = ({ call }: Piece) => `call_${call}`;
const head = (it: Piece) => (it.first ? { name: it.name } : {});

const type = ({ first }: Piece) => (first ? { type: 'function' } : {});

const STYLES: readonly Style[] = [
  {
    says: 'as they should be',
    weaves: true,
    repairs: [],
    write: (it) => ({
      index: it.call,
      ...(it.first && { id: id(it), type: 'function' }),
      function: { ...head(it), arguments: it.text },
    }),
  },
  {
    says: 'with the id in every piece',
    weaves: true,
    repairs: [],
    write: (it) => ({ index: it.call, id: id(it), function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'with id and name in every piece',
    weaves: true,
    repairs: ['B5'],
    write: (it) => ({ index: it.call, id: id(it), function: { name: it.name, arguments: it.text }, ...type(it) }),
  },
  {
    says: 'with empty ids and names in later pieces',
    weaves: true,
    repairs: ['B2'],
    write: (it) => ({
      index: it.call,
      id: it.first ? id(it) : '',
      function: { name: it.first ? it.name : '', arguments: it.text },
      ...type(it),
    }),
  },
  {
    says: 'without ids',
    weaves: true,
    repairs: ['B3'],
    write: (it) => ({ index: it.call, function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'without an index, with ids',
    weaves: true,
    repairs: ['B1'],
    write: (it) => ({ id: id(it), function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'without an index, with ids in the first pieces',
    weaves: false,
    repairs: ['B1'],
    write: (it) => ({ ...(it.first && { id: id(it) }), function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'without an index and without ids',
    weaves: false,
    repairs: ['B1', 'B3'],
    write: (it) => ({ function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'all under one index',
    weaves: false,
    repairs: ['B6'],
    write: (it) => ({
      index: 0,
      ...(it.first && { id: id(it) }),
      function: { ...head(it), arguments: it.text },
      ...type(it),
    }),
  },
  {
    says: 'all under one index, with ids in every piece',
    weaves: true,
    repairs: ['B6'],
    write: (it) => ({ index: 0, id: id(it), function: { ...head(it), arguments: it.text }, ...type(it) }),
  },
  {
    says: 'all with the same id',
    weaves: true,
    repairs: ['B8'],
    write: (it) => ({
      index: it.call,
      ...(it.first && { id: 'call_0' }),
      function: { ...head(it), arguments: it.text },
      ...type(it),
    }),
  },
  {
    says: 'without a type',
    weaves: true,
    repairs: ['B12'],
    write: (it) => ({
      index: it.call,
      ...(it.first && { id: id(it) }),
      function: { ...head(it), arguments: it.text },
    }),
  },
];

const anyCalls = fc.array(anyCall, { minLength: 1, maxLength: 4 });
const anyCuts = fc.array(fc.nat(60), { maxLength: 6 });
const anyWeave = fc.array(fc.nat(5), { minLength: 1, maxLength: 7 });

describe('calls in pieces', () => {
  test.each(STYLES)('are the same calls when they come $says', ({ write, weaves, repairs }) => {
    fc.assert(
      fc.property(anyCalls, anyCuts, anyWeave, fc.boolean(), (calls, cuts, weave, together) => {
        const pieces = piecesOf(calls, cuts, weaves ? weave : [0]).map(write);
        const deltas = together ? [chunk({ tool_calls: pieces })] : pieces.map((it) => piece(it));
        const frames = [chunk({ role: 'assistant', content: '' }), ...deltas, chunk({}, 'tool_calls'), DONE];
        const repaired = repairOnce(frames);
        const byName = (a: Call, b: Call) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
        expect([...repaired.calls].sort(byName)).toEqual([...calls].sort(byName));
        expect(new Set(repaired.callIds).size).toBe(calls.length);
        expect(repairs).toEqual(expect.arrayContaining([...repaired.ids]));
        expect(repaired.end).toBe('completed');
        const again = repairOnce(repaired.data);
        expect(again.repairs).toEqual([]);
        expect(again.data).toEqual(repaired.data);
        if (repairs.length === 0) expect(repaired.data).toEqual(frames);
      }),
      { numRuns: runs(150) },
    );
  });

  test('may have names that come in pieces', () => {
    const names = [...TOOLS.keys()];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(10), fc.boolean(), (name, at, growing) => {
        const cut = 1 + (at % (name.length - 1));
        const parts = [name.slice(0, cut), growing ? name : name.slice(cut)];
        const frames = [
          piece({ index: 0, id: 'c', type: 'function', function: { name: parts[0], arguments: '' } }),
          piece({ index: 0, function: { name: parts[1] } }),
          piece({ index: 0, function: { arguments: '{}' } }),
          chunk({}, 'tool_calls'),
          DONE,
        ];
        const repaired = repairOnce(frames);
        expect(repaired.calls).toEqual([{ name, input: {} }]);
        expect(repaired.ids).toEqual(['B5']);
      }),
    );
  });
});

const anyJson = fc.json({ maxDepth: 4 });
const anyValue = fc.jsonValue({ maxDepth: 3 });
const anyField = <T>(value: fc.Arbitrary<T>) => fc.option(fc.oneof(value, anyValue), { nil: undefined });
const anyPiece = fc.record(
  {
    index: anyField(fc.nat(2)),
    id: anyField(fc.constantFrom('', 'a', 'ab', 'b', 'x'.repeat(70))),
    function: anyField(
      fc.record(
        {
          name: anyField(fc.constantFrom('', 'read', 'read_file', '_file', 'add', 'functions.add', 'other')),
          arguments: anyField(fc.constantFrom('', '{', '}', '{}', '"a"', ':', '1', ',', '{"a":1}', '\\', 'null')),
        },
        { requiredKeys: [] },
      ),
    ),
    custom: anyField(fc.record({ name: anyValue, input: anyValue })),
  },
  { requiredKeys: [] },
);
const BLOCK = '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>';
const FRAGMENTS = [BLOCK, '<tool_call>', '<', 'tool', '{', '[', '\n', 'a', ' '];
const anyText = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 4 }).map((parts) => parts.join(''));
/**
 * Returns details without calls. Details are sent back to the server, so they keep a call that is removed from the
 * reasoning next to them, and where they stand alone a second repair finds the call there.
 */
const anyDetail = fc.constantFrom('', 'a', ' ', '\n', 'It may well rain', 'It may well rain today.');
const anyDelta = fc.record(
  {
    role: anyField(fc.constant('assistant')),
    content: anyField(fc.oneof(anyText, fc.array(fc.record({ type: fc.constant('text'), text: anyText })))),
    reasoning_content: anyField(anyText),
    reasoning: anyField(anyText),
    reasoning_details: anyField(fc.array(fc.record({ text: anyDetail }))),
    refusal: anyField(anyText),
    tool_calls: anyField(fc.array(fc.oneof(anyPiece, anyValue), { maxLength: 3 })),
    function_call: anyField(fc.record({ name: fc.constant('add'), arguments: anyText })),
  },
  { requiredKeys: [] },
);
const anyFinish = fc.constantFrom(
  null,
  undefined,
  '',
  'null',
  'stop',
  'tool_calls',
  'length',
  'end_turn',
  'error',
  'x',
  1,
);
const anyChoice = fc.record(
  {
    index: anyField(fc.constant(0)),
    delta: anyField(anyDelta),
    message: anyField(anyDelta),
    finish_reason: anyFinish,
    usage: anyField(anyValue),
  },
  { requiredKeys: [] },
);
const anyChunk = fc.record(
  {
    id: anyField(fc.constant('r')),
    object: anyField(fc.constantFrom('chat.completion', 'chat.completion.chunk', 'error')),
    choices: anyField(fc.array(fc.oneof({ weight: 5, arbitrary: anyChoice }, anyValue), { maxLength: 2 })),
    usage: anyField(fc.record({ prompt_tokens: fc.nat() })),
    error: fc.option(anyValue, { nil: undefined, freq: 20 }),
    data: anyField(anyValue),
  },
  { requiredKeys: [] },
);
const anyFrame = fc.oneof(
  { weight: 20, arbitrary: anyChunk.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom(DONE, '', ': keepalive', '{', '""', 'null') },
);

describe('any frames at all', () => {
  test('are repaired without a throw, and need no second repair', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 12 }), (frames) => {
        const repaired = repairOnce(frames);
        for (const data of repaired.data) if (!frames.includes(data) && data !== DONE) JSON.parse(data);
        const again = repairOnce(repaired.data);
        expect(again.repairs).toEqual([]);
        expect(again.data).toEqual(repaired.data);
        expect(repaired.events.length).toBeGreaterThan(0);
        expect(new Set(repaired.callIds).size).toBe(repaired.callIds.length);
      }),
      { numRuns: runs(1500) },
    );
  });
});
