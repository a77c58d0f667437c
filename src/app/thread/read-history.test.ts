import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { LogLine, SessionMeta } from '../../base/log.ts';
import type { ThreadStore } from '../../base/thread-store.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { testHome, testStore, writeThread } from '../../store/test-rollouts.ts';
import { createThreads } from '../threads/create-threads.ts';
import { type HistoryTurn, readHistory } from './read-history.ts';

const ID = '0199aaaa-0000-7000-8000-000000000001';
const RAW = { rawReasoning: false };
const META = { id: ID, cwd: '/work', timestamp: '2026-01-02T03:04:05.000Z' } as SessionMeta;

const user = (text: string): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const answer = (text: string): LogLine => ({
  type: 'response_item',
  payload: { type: 'message', id: text, role: 'assistant', content: [{ type: 'output_text', text }] },
});
const event = (payload: Extract<LogLine, { type: 'event_msg' }>['payload']): LogLine => ({
  type: 'event_msg',
  payload,
});
const own = (payload: Extract<LogLine, { type: 'oxbow' }>['payload']): LogLine => ({ type: 'oxbow', payload });
const call = (id: string, output = 'out'): readonly LogLine[] => [
  { type: 'response_item', payload: { type: 'function_call', call_id: id, name: 'some_tool', arguments: '{}' } },
  own({ kind: 'call.started', call_id: id }),
  { type: 'response_item', payload: { type: 'function_call_output', call_id: id, output } },
];
const COUNTS = {
  ...{ input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0, total_tokens: 2 },
};

async function written(store: ThreadStore, lines: readonly LogLine[]): Promise<ThreadStore> {
  const log = store.create(ID);
  await log.append([{ type: 'session_meta', payload: META }]);
  for (const line of lines) await log.append([line]);
  await log.close();
  return store;
}

const withoutBack = ({ readBack: _, ...store }: ThreadStore): ThreadStore => store;

const STORES: Readonly<Record<string, () => ThreadStore>> = {
  files: () => testStore(testHome()),
  memory: () => createMemoryStore({ keepAll: true }),
  'a store that reads only from the beginning': () => withoutBack(createMemoryStore({ keepAll: true })),
};

/** Something that happens in a thread. */
type Step =
  | {
      readonly type: 'turn';
      readonly steered: number;
      readonly calls: number;
      readonly compacts: boolean;
      readonly end: 'completed' | 'failed' | 'interrupted' | 'lost';
    }
  | { readonly type: 'back'; readonly inputs: number };

const STEPS: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('turn' as const),
        steered: fc.constantFrom(0, 0, 1, 2),
        calls: fc.constantFrom(0, 1, 2),
        compacts: fc.constantFrom(false, false, true),
        end: fc.constantFrom('completed', 'completed', 'failed', 'interrupted', 'lost'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('back' as const), inputs: fc.integer({ min: 1, max: 4 }) }) },
  ),
  { maxLength: 25 },
);

/** Returns the lines of a thread in which all of that happened. */
function linesOf(steps: readonly Step[]): readonly LogLine[] {
  const lines: LogLine[] = [];
  /** Inputs since the last compaction. Others cannot be taken back. */
  let inputs = 0;
  let turns = 0;
  steps.forEach((step, n) => {
    if (step.type === 'back') {
      const num_turns = Math.min(step.inputs, inputs);
      if (num_turns > 0) lines.push(event({ type: 'thread_rolled_back', num_turns }));
      inputs -= num_turns;
      turns -= num_turns;
      return;
    }
    const turn_id = `turn-${n}`;
    turns++;
    lines.push(event({ type: 'task_started', turn_id }), user(`input ${n}`));
    inputs++;
    if (step.compacts) {
      const usage = COUNTS;
      lines.push(own({ kind: 'checkpoint', turns, requests: 1, usage, queue: [], instructions: null, tools: null }));
      lines.push({ type: 'compacted', payload: { message: 'much', replacement_history: [] } });
      inputs = 0;
    }
    for (let at = 0; at < step.calls; at++) lines.push(...call(`call-${n}-${at}`));
    for (let at = 0; at < step.steered; at++) lines.push(user(`more ${n} ${at}`), answer(`said-${n}-${at}`));
    inputs += step.steered;
    if (step.end === 'completed')
      lines.push(answer(`answer-${n}`), event({ type: 'task_complete', turn_id, last_agent_message: `answer-${n}` }));
    if (step.end === 'failed')
      lines.push(own({ kind: 'turn.failed', turn_id, code: 'internal', message: `fault ${n}` }));
    if (step.end === 'interrupted') lines.push(event({ type: 'turn_aborted', turn_id, reason: 'interrupted' }));
  });
  return lines;
}

async function allPages(store: ThreadStore, turns: number): Promise<readonly HistoryTurn[]> {
  const found: HistoryTurn[] = [];
  let before: string | null | undefined;
  for (let pages = 0; before !== null && pages < 100; pages++) {
    const page = await readHistory(store, ID, { turns, ...(before === undefined ? {} : { before }) }, RAW);
    found.unshift(...page.turns);
    before = page.before;
  }
  return found;
}

describe.each(Object.entries(STORES))('%s', (_, open) => {
  test('all pages together are what a reader of the whole thread sees', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, fc.integer({ min: 1, max: 6 }), async (steps, size) => {
        const store = await written(open(), linesOf(steps));
        const threads = createThreads(store);
        const turns = await allPages(store, size);
        const shown = await threads.show(ID);
        expect(turns.map(({ id, status, input, answer: text }) => ({ id, status, input, answer: text }))).toEqual(
          shown.turns.map(({ id, status, input, answer: text }) => ({ id, status, input, answer: text })),
        );
        expect(turns.flatMap(({ items }) => items)).toEqual((await threads.items(ID)).map(({ item }) => item));
        expect(turns.every(({ isWhole }) => isWhole)).toBe(true);
        for (const { status, failure } of turns) expect(failure !== null).toBe(status === 'failed');
      }),
      { numRuns: runs(200) },
    );
  });

  test('turns have their numbers', async () => {
    const steps = Array.from({ length: 9 }, () => ({ ...TURN, steered: 1 }));
    const store = await written(open(), linesOf([...steps, { type: 'back', inputs: 3 }, TURN]));
    const page = await readHistory(store, ID, { turns: 3 }, RAW);
    expect(page.turns.map(({ number, id }) => [number, id])).toEqual([
      [7, 'turn-6'],
      [8, 'turn-7'],
      [9, 'turn-10'],
    ]);
    expect(page.earlier).toBe(6);
  });
});

const TURN: Step = { type: 'turn', steered: 0, calls: 1, compacts: false, end: 'completed' };

test('a turn that is too long for a page goes on in the page before, and no call is cut from its output', async () => {
  const lines = [
    ...linesOf([TURN]),
    event({ type: 'task_started', turn_id: 'long' }),
    user('all of it'),
    ...Array.from({ length: 60 }, (_, n) => call(`long-${n}`, 'x'.repeat(300_000))).flat(),
    event({ type: 'task_complete', turn_id: 'long', last_agent_message: null }),
    ...linesOf([TURN]),
  ];
  const store = await written(testStore(testHome()), lines);
  const last = await readHistory(store, ID, {}, RAW);
  expect(last.turns.map(({ id, number, isWhole }) => [id, number, isWhole])).toEqual([
    ['long', null, false],
    ['turn-0', null, true],
  ]);
  const turns = await allPages(store, 10);
  expect(turns.map(({ id }) => id)).toEqual(['turn-0', 'long', 'long', 'long', 'turn-0']);
  expect(turns.map(({ isWhole }) => isWhole)).toEqual([true, false, false, false, true]);
  const items = turns.flatMap((turn) => turn.items);
  expect(items).toEqual((await createThreads(store).items(ID)).map(({ item }) => item));
});

test('each input begins a turn in a log without the beginnings of turns', async () => {
  const lines = Array.from({ length: 5 }, (_, n) => [user(`input ${n}`), answer(`answer-${n}`)]).flat();
  const store = await written(testStore(testHome()), lines);
  const { turns, before } = await readHistory(store, ID, { turns: 2 }, RAW);
  expect(before).toBe(null);
  expect(turns.map(({ input, items }) => [input, items.length])).toEqual(
    lines.filter((_, n) => n % 2 === 0).map((_, n) => [`input ${n}`, 2]),
  );
});

test('a page that makes no sense is refused with a sentence', async () => {
  const store = await written(testStore(testHome()), linesOf([TURN]));
  await expect(readHistory(store, ID, { turns: 0 }, RAW)).rejects.toThrow('A page cannot have 0 turns.');
  await expect(readHistory(store, ID, { before: 'x' }, RAW)).rejects.toThrow('"x" is not the place of a page');
  await expect(readHistory(store, ID, { before: 'at.0.x' }, RAW)).rejects.toThrow('"x" is not a place in the log');
  await expect(readHistory(store, ID, { limit: 3 } as object, RAW)).rejects.toThrow('history has no option "limit"');
});

test('a fork that points to another file goes on there', async () => {
  const home = testHome();
  const store = await written(testStore(home), linesOf([TURN, TURN, TURN]));
  const limit = 1 + linesOf([TURN, TURN]).length;
  const meta = { ...META, id: 'fork', forked_from_id: ID, forked_from_ordinal_exclusive: limit };
  const added = [{ type: 'session_meta', payload: meta }, event({ type: 'task_started', turn_id: 'own' }), user('on')];
  const text = added.map((line, n) => JSON.stringify({ timestamp: META.timestamp, ordinal: limit + n, ...line }));
  writeThread(home, 'fork', `${text.join('\n')}\n`);
  const { turns, before } = await readHistory(store, 'fork', { turns: 2 }, RAW);
  expect(turns.map(({ id, number }) => [id, number])).toEqual([
    ['turn-1', 2],
    ['own', 3],
  ]);
  const page = await readHistory(store, 'fork', { before: before ?? '' }, RAW);
  expect(page).toMatchObject({ turns: [{ id: 'turn-0', number: 1, isWhole: true }], before: null, earlier: 0 });
});
