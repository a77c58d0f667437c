import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContentPart, Item } from '../../../../src/base/item.ts';
import type { LogLine } from '../../../../src/base/log.ts';
import type { ModelRequest } from '../../../../src/base/model.ts';
import { wholeText } from '../../../../src/base/request-text.ts';
import type { ToolSpec } from '../../../../src/base/tool.ts';
import { DEFAULT_COMPAT } from '../../../../src/base/wire.ts';
import { historyForServer } from '../../../../src/engine/request/history-for-server.ts';
import { applyLine } from '../../../../src/engine/state/apply-line.ts';
import { emptyState, type ThreadState } from '../../../../src/engine/state/thread-state.ts';
import type { Turn } from '../../../../src/engine/turn-setup.ts';
import { encodeRequest as encodeChat } from '../../../../src/wire/chat/encode-request.ts';
import { encodeRequest as encodeResponses } from '../../../../src/wire/responses/encode-request.ts';
import { foldLines } from '../../../harness/fold-lines.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { runs } from '../../../harness/runs.ts';

const line = (payload: Item): LogLine => ({ type: 'response_item', payload });
const said = (text: string): LogLine =>
  line({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const call = (call_id: string): LogLine => line({ type: 'function_call', name: 'f', arguments: '{}', call_id });
const output = (call_id: string, text = 'out'): LogLine =>
  line({ type: 'function_call_output', call_id, output: text });

/** Stands before the calls of our own turns. */
const requested: LogLine = { type: 'oxbow', payload: { kind: 'request.started', request: 1, attempt: 0 } };
const begun: LogLine = { type: 'event_msg', payload: { type: 'task_started', turn_id: 't' } };

const brief = ({ history }: ThreadState) =>
  history.map((item) =>
    'call_id' in item ? `${item.type === 'function_call' ? 'call' : 'out'} ${item.call_id}` : item.type,
  );

describe('log lines that no server accepts', () => {
  test('an output without its call is left out', () => {
    expect(brief(foldLines([said('a'), output('x'), call('y'), output('y'), output('y')]))).toEqual([
      'message',
      'call y',
      'out y',
    ]);
  });

  test('a call without an output gets one, before the next message to the model', () => {
    const state = foldLines([requested, call('a'), call('b'), output('b'), said('go on'), output('a')]);
    expect(brief(state)).toEqual(['call a', 'call b', 'out b', 'out a', 'message']);
    expect(state.history[3]).toMatchObject({ output: 'aborted' });
    expect(state.openCalls.size).toBe(0);
    expect(state.failedCalls).toEqual(new Set(['a']));
  });

  test('the output of such a call says what is known about it', () => {
    const started: LogLine = { type: 'oxbow', payload: { kind: 'call.started', call_id: 'a' } };
    const finished: LogLine = {
      type: 'oxbow',
      payload: {
        kind: 'call.finished',
        output: { type: 'function_call_output', call_id: 'b', output: 'it worked' },
        metadata: { success: true, duration_ms: 1 },
      },
    };
    const { history } = foldLines([requested, call('a'), call('b'), started, finished, said('go on')]);
    expect(history[2]).toMatchObject({ call_id: 'a', output: expect.stringContaining('is not known') });
    expect(history[3]).toMatchObject({ call_id: 'b', output: 'it worked' });
  });

  test('a call in a turn of another program may have had its effect, because its start is never on record', () => {
    const ended: LogLine = {
      type: 'event_msg',
      payload: { type: 'turn_aborted', turn_id: 't', reason: 'interrupted' },
    };
    for (const before of [[], [requested, begun], [begun, requested, ended]]) {
      const { history } = foldLines([...before, call('a'), said('go on')]);
      expect(history[1]).toMatchObject({ call_id: 'a', output: expect.stringContaining('is not known') });
    }
  });

  test('a reused id is replaced, in the call and its output', () => {
    const lines = [call('a'), output('a', 'one'), call('a'), call('a'), output('a', 'two'), output('a', 'three')];
    const { history } = foldLines(lines);
    expect(history.map((item) => ('call_id' in item ? item.call_id : ''))).toEqual([
      'a',
      'a',
      'a_2',
      'a_3',
      'a_2',
      'a_3',
    ]);
    expect(history.at(-1)).toMatchObject({ output: 'three' });
  });

  test('the second item with the same id loses it', () => {
    const { history } = foldLines([1, 2].map(() => line({ type: 'message', id: 'm', role: 'assistant', content: [] })));
    expect(history.map((item) => 'id' in item)).toEqual([true, false]);
  });

  test('an output has the kind that its call requires', () => {
    const custom: Item = { type: 'custom_tool_call', name: 'f', input: 'x', call_id: 'a' };
    expect(foldLines([line(custom), output('a')]).history[1]).toMatchObject({ type: 'custom_tool_call_output' });
  });

  test('only whole turns are rolled back, and a summary stays whole', () => {
    const back = (num_turns: number): LogLine => ({
      type: 'event_msg',
      payload: { type: 'thread_rolled_back', num_turns },
    });
    expect(brief(foldLines([said('a'), call('x'), output('x'), said('b'), call('y'), back(1)]))).toEqual([
      'message',
      'call x',
      'out x',
    ]);
    const compacted: LogLine = { type: 'compacted', payload: { message: 'the summary' } };
    expect(foldLines([said('a'), call('x'), compacted, said('b'), back(2)]).history).toMatchObject([
      { content: [{ text: 'a' }] },
      { content: [{ text: expect.stringContaining('the summary') }] },
    ]);
  });

  test('a compaction without its history keeps the user’s messages', () => {
    const context = said('<environment_context>\n</environment_context>');
    const lines = [
      context,
      said('<div> is wrong'),
      call('x'),
      output('x'),
      { type: 'compacted', payload: { message: 'S' } },
    ];
    const { history, told } = foldLines(lines as LogLine[]);
    expect(history).toHaveLength(2);
    expect(history[0]).toMatchObject({ content: [{ text: '<div> is wrong' }] });
    expect(told.size).toBe(0);
  });
});

const FUNCTIONS: readonly ToolSpec[] = [
  { type: 'function', name: 'f', description: '', strict: false, parameters: { type: 'object' } },
];
const CUSTOM: readonly ToolSpec[] = [...FUNCTIONS, { type: 'custom', name: 'g', description: '' }];

/** One object for each list of tools, as the agent has it. */
const snapshots = new Map<readonly ToolSpec[], object>();

/** Returns the same object for the same tools, as the agent does. */
function toolsOf(offered: readonly ToolSpec[]): object {
  const tools = snapshots.get(offered) ?? { offered };
  snapshots.set(offered, tools);
  return tools;
}

function sentBy(state: ThreadState, setup: { readonly offered: readonly ToolSpec[]; readonly imageInput: boolean }) {
  const turn = {
    state,
    setup: { providerId: 'here', imageInput: setup.imageInput },
    tools: toolsOf(setup.offered),
  };
  const request = {
    model: 'm',
    instructions: 'i',
    input: historyForServer(turn as unknown as Turn),
    tools: setup.offered,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
  } satisfies ModelRequest;
  return [encodeResponses, encodeChat].map((encode) => JSON.parse(wholeText(encode(request, DEFAULT_COMPAT))));
}

const id = fc.constantFrom('a', 'b', 'c', 'd');
const image: ContentPart = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
const text = fc.constantFrom('hello', '<environment_context>x</environment_context>', '<b>bold</b>');
const parts = fc
  .array(
    fc.oneof(
      text.map((one): ContentPart => ({ type: 'input_text', text: one })),
      fc.constant(image),
    ),
    { minLength: 1 },
  )
  .map((list) => list.slice(0, 3));
const ids = fc.record({ id: fc.constantFrom('i1', 'i2', 'i3') }, { requiredKeys: [] });

const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({ type: fc.constant('message'), role: fc.constantFrom('user', 'developer'), content: parts }),
  text.map((one) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: one }] })),
  fc.record({ type: fc.constant('function_call'), name: fc.constant('f'), arguments: fc.constant('{}'), call_id: id }),
  fc.record({ type: fc.constant('custom_tool_call'), name: fc.constant('g'), input: text, call_id: id }),
  id.map((call_id) => ({ type: 'local_shell_call', call_id, action: { type: 'exec', command: ['ls'] } })),
  fc.record({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output: fc.oneof(text, parts),
  }),
  fc.constant({ type: 'reasoning', summary: [], content: null, encrypted_content: 'sealed' }),
  fc.constantFrom(
    { type: 'web_search_call', status: 'completed' },
    { type: 'compaction', encrypted_content: 'sealed' },
    { type: 'agent_message', content: [{ type: 'input_text', text: 'from another' }] },
  ),
) as fc.Arbitrary<Item>;

const anyLine: fc.Arbitrary<LogLine> = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(item, ids).map(([one, more]) => line({ ...one, ...more } as Item)) },
  id.map((call_id): LogLine => ({ type: 'oxbow', payload: { kind: 'call.started', call_id } })),
  fc.integer({ min: 0, max: 3 }).map(
    (num_turns): LogLine => ({
      type: 'event_msg',
      payload: { type: 'thread_rolled_back', num_turns },
    }),
  ),
  fc.constant<LogLine>({ type: 'compacted', payload: { message: 'a summary' } }),
  fc.array(item, { maxLength: 4 }).map(
    (replacement_history): LogLine => ({
      type: 'compacted',
      payload: { message: 'a summary', replacement_history },
    }),
  ),
);

const meta = (model_provider: string): LogLine =>
  ({ type: 'session_meta', payload: { model_provider } }) as unknown as LogLine;

test('whatever a log holds, the next request is valid for a strict server of either wire', () => {
  const setups = fc.record({ offered: fc.constantFrom(FUNCTIONS, CUSTOM), imageInput: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(anyLine, { maxLength: 25 }),
      fc.constantFrom('here', 'there'),
      setups,
      (lines, origin, setup) => {
        const all = [meta(origin), ...lines];
        const state = emptyState();
        for (const one of all) {
          applyLine(state, one);
          // Requests in between must leave nothing behind that counts after the history was replaced.
          sentBy(state, setup);
        }
        expect(sentBy(state, setup)).toEqual(sentBy(foldLines(all), setup));
        // The next turn begins with these lines.
        for (const { item: open } of [...state.openCalls.values()]) applyLine(state, output(open.call_id));
        applyLine(state, said('next'));
        const bodies = sentBy(state, setup);
        expect(bodies.flatMap(requestFaults)).toEqual([]);
        // A repeated request has the very same bytes; a longer history begins with them.
        expect(sentBy(state, setup)).toEqual(bodies);
        applyLine(state, said('more'));
        const [longer] = sentBy(state, setup);
        expect(longer.input.slice(0, -1)).toEqual(bodies[0].input);
        if (!setup.imageInput) expect(JSON.stringify(bodies)).not.toContain('data:image');
        if (setup.offered === FUNCTIONS) expect(JSON.stringify(bodies)).not.toContain('custom_tool_call');
        if (origin === 'there')
          expect(JSON.stringify(bodies)).not.toMatch(/"web_search_call"|"compaction"|"agent_message"/);
      },
    ),
    { numRuns: runs(1000) },
  );
});
