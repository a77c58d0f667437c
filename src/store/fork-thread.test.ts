import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import type { LogLine, SessionMeta } from '../base/log.ts';
import { applyLine } from '../engine/state/apply-line.ts';
import { emptyState } from '../engine/state/thread-state.ts';
import { encodeGroup } from '../log/rollout-line.ts';
import { scanTurns } from '../log/scan-turns.ts';
import { event, lineText, metaLine, said } from '../log/test-lines.ts';
import { testHome, testStore, writeThread } from './test-rollouts.ts';

const pathOfFork = (home: string) => `${home}/sessions/2026/03/04/rollout-2026-03-04T05-06-07-fork.jsonl`;

async function fork(home: string, parent: string, at: number | string | null = null): Promise<LogLine[]> {
  const meta = { id: 'fork', forked_from_id: parent, cwd: '/', timestamp: '' } as SessionMeta;
  await testStore(home, () => Date.UTC(2026, 2, 4, 5, 6, 7)).fork(parent, at, meta);
  return readLog(pathOfFork(home));
}

const scan = (home: string, id: string) => scanTurns(testStore(home).read(id));

function readLog(path: string): (LogLine & { ordinal?: number })[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line));
}

function fold(lines: readonly LogLine[]) {
  const state = emptyState();
  for (const line of lines) applyLine(state, line);
  const { history, usage, turns, requests, openCalls, failedCalls, instructions, tools, told, queue } = state;
  return { history, usage, turns, requests, openCalls, failedCalls, instructions, tools, told, queue };
}

const ended = (turn_id: string) => event('task_complete', { turn_id, last_agent_message: null });
const turn = (id: string) => [
  event('task_started', { turn_id: id }),
  said(id),
  said(`re ${id}`, 'assistant'),
  ended(id),
];

function write(home: string, id: string, lines: readonly object[]): string {
  return writeThread(home, id, [metaLine(id), ...lines].map((line, index) => lineText(line, index)).join(''));
}

test('the turns up to the chosen one are copied byte for byte, with new ordinals', async () => {
  const home = testHome();
  const strange = { type: 'world_state', payload: { text: 'ä\u2028', number: 1.0 } };
  const path = write(home, 'parent', [...turn('a'), strange, ...turn('b'), ...turn('c')]);
  const before = readFileSync(path, 'utf8');
  const lines = await fork(home, 'parent', 2);
  expect(lines[0]?.payload).toMatchObject({ id: 'fork', forked_from_id: 'parent' });
  expect(lines.map((line) => (line as { ordinal?: number }).ordinal)).toEqual(lines.map((_, index) => index));
  const copied = readFileSync(pathOfFork(home), 'utf8').split('\n').slice(1);
  expect(copied).toEqual([...before.split('\n').slice(1, 10), '']);
  expect(statSync(pathOfFork(home)).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).toBe(before);
});

test('a turn can be chosen by its id, and the error for a missing turn names the turns that exist', async () => {
  const home = testHome();
  write(home, 'parent', [...turn('a'), ...turn('b')]);
  expect(await fork(home, 'parent', 'a')).toHaveLength(5);
  for (const at of [0, 3, 'x']) {
    await expect(fork(home, 'parent', at)).rejects.toThrow(
      `The thread parent has no turn ${at}: it has the turns 1 to 2.`,
    );
  }
  write(home, 'single', turn('a'));
  await expect(fork(home, 'single', 2)).rejects.toThrow('it has only the turn 1');
  write(home, 'empty-one', []);
  await expect(fork(home, 'empty-one', 1)).rejects.toThrow('has no turns yet');
  expect(await fork(home, 'empty-one')).toHaveLength(1);
});

test('half a line at the end of a running thread is left out', async () => {
  const home = testHome();
  const path = write(home, 'parent', [...turn('a'), event('task_started', { turn_id: 'b' }), said('b')]);
  appendFileSync(path, '{"timestamp":"2026-01-02T03:04:05.000Z","ordinal":7,"type":"respon');
  expect(await fork(home, 'parent')).toHaveLength(7);
  expect(await fork(home, 'parent', 1)).toHaveLength(5);
});

test('nothing before the last checkpoint is copied, and turns keep their numbers', async () => {
  const home = testHome();
  const usage = {
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 1,
    reasoning_output_tokens: 0,
    total_tokens: 2,
  };
  const checkpoint = {
    type: 'oxbow',
    payload: {
      kind: 'checkpoint',
      turns: 2,
      requests: 5,
      usage,
      queue: [{ id: 'q', content: [] }],
      instructions: null,
      tools: null,
    },
  };
  const compacted = { type: 'compacted', payload: { message: '', replacement_history: [said('short').payload] } };
  const [start, ...rest] = turn('b');
  write(home, 'parent', [...turn('a'), start ?? {}, checkpoint, compacted, ...rest, ...turn('c')]);
  const lines = await fork(home, 'parent');
  expect(lines[1]?.payload).toMatchObject({ kind: 'checkpoint', turns: 2 });
  expect(fold(lines)).toMatchObject({ turns: 3, requests: 5, queue: [] });
  const { turns } = await scan(home, 'fork');
  expect(turns.map(({ number, id, input }) => [number, id, input])).toEqual([
    [2, 'b', 'b'],
    [3, 'c', 'c'],
  ]);
  await expect(fork(home, 'fork', 1)).rejects.toThrow('it has the turns 2 to 3');
  // A fork that ends before the checkpoint does not depend on it.
  expect(fold(await fork(home, 'parent', 1))).toEqual(fold([metaLine('parent') as LogLine, ...turn('a')]));
});

test('a fork of a fork by pointer has all lines, and lines of old files get ordinals', async () => {
  const home = testHome();
  write(home, 'root', [...turn('a'), ...turn('b')]);
  const pointer = metaLine('child', { forked_from_id: 'root', forked_from_ordinal_exclusive: 5 });
  const own = turn('c').map((line, index) => lineText(line, index + 6));
  writeThread(home, 'child', [lineText(pointer, 5), ...own].join(''));
  const lines = await fork(home, 'child');
  expect(fold(lines).history).toEqual(fold([...turn('a'), ...turn('c')]).history);
  expect(lines[0]?.payload).not.toHaveProperty('forked_from_ordinal_exclusive');
  writeThread(home, 'old-one', [metaLine('old-one'), ...turn('a')].map((line) => lineText(line)).join(''));
  expect(JSON.stringify((await fork(home, 'old-one')).map((line) => (line as { ordinal?: number }).ordinal))).toBe(
    '[0,1,2,3,4]',
  );
});

test('a fork by pointer may end before the point where its parent was forked', async () => {
  const home = testHome();
  write(home, 'root', [...turn('a'), ...turn('b')]);
  const child = metaLine('child', { forked_from_id: 'root', forked_from_ordinal_exclusive: 9 });
  writeThread(home, 'child', [child, ...turn('c')].map((line, index) => lineText(line, index + 9)).join(''));
  const early = { forked_from_id: 'child', forked_from_ordinal_exclusive: 5 };
  // Codex 0.166 writes where the lines really are.
  for (const more of [{}, { history_base: { thread_id: 'root', end_ordinal_exclusive: 5 } }]) {
    const meta = metaLine('early', { ...early, ...more });
    writeThread(home, 'early', [meta, ...turn('d')].map((line, index) => lineText(line, index + 5)).join(''));
    expect(fold(await fork(home, 'early')).history).toEqual(fold([...turn('a'), ...turn('d')]).history);
  }
});

test('a missing parent is an error, and no draft is left behind', async () => {
  const home = testHome();
  const pointer = metaLine('child', { forked_from_id: 'gone', forked_from_ordinal_exclusive: 5 });
  writeThread(home, 'child', lineText(pointer, 5));
  await expect(fork(home, 'child')).rejects.toThrow('gone');
  const folder = dirname(pathOfFork(home));
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
});

test('a copy that ends in the middle of a group is a complete group', async () => {
  const home = testHome();
  const lines = [metaLine('parent') as LogLine, ...turn('a'), ...turn('b')];
  writeThread(home, 'parent', encodeGroup(lines, 0, 0));
  const copied = await fork(home, 'parent', 1);
  expect(copied.map(({ payload }) => payload).slice(1)).toEqual(turn('a').map(({ payload }) => payload));
  expect(JSON.stringify(copied)).not.toContain('oxbow_more');
  expect((await scan(home, 'fork')).lines).toBe(5);
});

type Step = 'turn' | 'cut' | 'failed' | 'compact' | 'back' | 'queue' | 'call';

/** Returns a log of these steps. */
function logOf(steps: readonly Step[]): LogLine[] {
  const lines: LogLine[] = [];
  let turns = 0;
  const queue: string[] = [];
  steps.forEach((step, n) => {
    const id = `turn-${n}`;
    const start = () => {
      turns++;
      lines.push(event('task_started', { turn_id: id }), said(`input ${n}`));
    };
    if (step === 'queue') {
      lines.push({ type: 'oxbow', payload: { kind: 'input.queued', id: `q${n}`, content: [] } });
      queue.push(`q${n}`);
      return;
    }
    if (step === 'back') {
      lines.push(event('thread_rolled_back', { num_turns: 1 }));
      turns = Math.max(0, turns - 1);
      return;
    }
    start();
    if (step === 'compact') {
      const usage = { input_tokens: n, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 };
      const waiting = queue.map((one) => ({ id: one, content: [] }));
      const rest = {
        requests: n,
        usage: { ...usage, total_tokens: n },
        queue: waiting,
        instructions: null,
        tools: 't',
      };
      lines.push({ type: 'oxbow', payload: { kind: 'checkpoint', turns, ...rest } });
      const replacement_history = [said(`kept ${n}`).payload] as never;
      lines.push({ type: 'compacted', payload: { message: '', replacement_history } });
    }
    if (step === 'call' || step === 'cut') {
      const item = { type: 'function_call', name: 'shell', arguments: '{}', call_id: `c${n}` } as const;
      lines.push({ type: 'response_item', payload: item });
      if (step === 'cut') return;
      const output = { type: 'function_call_output', call_id: `c${n}`, output: 'done' } as const;
      lines.push({ type: 'response_item', payload: output, metadata: { success: true, duration_ms: 1 } });
    }
    lines.push(said(`answer ${n}`, 'assistant'));
    if (step === 'failed')
      lines.push({ type: 'oxbow', payload: { kind: 'turn.failed', turn_id: id, code: 'x', message: '' } });
    else lines.push(ended(id));
  });
  return lines;
}

const step = fc.constantFrom<Step>('turn', 'turn', 'cut', 'failed', 'compact', 'back', 'queue', 'call');

test('the state of a fork is the state of its thread after that turn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(), async (steps, which) => {
      const home = testHome();
      const log = logOf(steps);
      write(home, 'parent', log);
      const { turns, lines } = await scan(home, 'parent');
      expect(lines).toBe(log.length + 1);
      const chosen = turns.length === 0 ? undefined : turns[which % turns.length];
      const end = chosen ? (chosen.end ?? lines) : lines;
      const meta = metaLine('parent') as LogLine;
      const expected = { ...fold([meta, ...log].slice(0, end)), queue: [] };
      const forked = await fork(home, 'parent', chosen?.number ?? null);
      expect(fold(forked)).toEqual(expected);
      // A second fork is the same.
      const again = await scan(home, 'fork');
      expect(again.turns.at(-1)?.number).toBe(chosen?.number);
      expect(again.turns.at(-1)?.id).toBe(chosen?.id);
    }),
    { numRuns: runs(150) },
  );
});
