import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type CallItem, type Item, isCall, isCallOutput } from '../../../src/base/item.ts';
import type { LogLine } from '../../../src/base/log.ts';
import { call, customCall, pause, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { startOxbow } from '../../harness/run-oxbow.ts';
import { runs } from '../../harness/runs.ts';
import { type Scene, scene } from '../../harness/scene.ts';

/** The number of deaths under which the contract of docs/threads.md must hold. */
const KILLS = runs(200);
const STEPS = 12;

test(`${KILLS} kills at any point lose nothing, repeat nothing that was done, and leave every thread able to continue`, {
  timeout: 400_000,
}, async () => {
  const chance = seeded(20261115);
  const seen = { done: 0, never: 0, unknown: 0, kills: 0 };
  // A test that never met one of the three states would prove nothing about it, so few kills may not be enough.
  while (seen.kills < KILLS || seen.done <= 20 || seen.never + seen.unknown <= 5) {
    const s = await scene(nextStep);
    await livesAndDies(s, chance, seen);
    countCalls(s, seen);
  }
});

/** Kills one thread again and again until its task is done. */
async function livesAndDies(s: Scene, chance: () => number, seen: { kills: number }): Promise<void> {
  for (;;) {
    const begun = hasRollout(s);
    const before = begun ? readFileSync(rolloutPath(s), 'utf8') : '';
    const words = begun ? ['resume', '--last', 'go on'] : ['go'];
    const args = ['exec', '-s', 'danger-full-access', ...words];
    const program = await startOxbow(args, { workspace: s.workspace, model: s.model });
    const ended = program.wait();
    const killed = await killSometime(s, program, { ended, known: lineCount(before), chance });
    const result = await ended;
    await vi.waitFor(() => expect(processesWith(result.marker)).toEqual([]), { timeout: 10_000 });
    if (!killed) {
      expect(result.code, result.stderr).toBe(0);
      break;
    }
    seen.kills++;
    if (!hasRollout(s)) continue;
    const after = readFileSync(rolloutPath(s), 'utf8');
    expect(after.startsWith(before.slice(0, before.lastIndexOf('\n') + 1)), 'recorded lines stay').toBe(true);
    for (const line of after.split('\n').slice(0, -1)) JSON.parse(line);
  }
  expect(s.model.unexpected).toEqual([]);
  for (const request of s.model.requests) expect(requestFaults(request.body)).toEqual([]);
}

/**
 * Kills half of the time after a number of lines is on disk, else after some time. Returns false when the program ended
 * before.
 */
async function killSometime(
  s: Scene,
  program: { kill(signal: NodeJS.Signals): void },
  { ended, known, chance }: { ended: Promise<unknown>; known: number; chance: () => number },
): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  ended.then(end, end);
  const deadline = performance.now() + chance() * 450;
  const lines = chance() < 0.5 ? known + Math.floor(chance() * 60) : Number.POSITIVE_INFINITY;
  let size = 0;
  while (!over) {
    if (lines === Number.POSITIVE_INFINITY ? performance.now() > deadline : grownTo(lines)) {
      program.kill('SIGKILL');
      return true;
    }
    await nextRound();
  }
  return false;

  function grownTo(count: number): boolean {
    if (!hasRollout(s)) return false;
    const now = statSync(rolloutPath(s)).size;
    if (now === size) return false;
    size = now;
    return lineCount(readFileSync(rolloutPath(s), 'utf8')) > count;
  }
}

/** Returns the next step of the task: the one after the last step whose calls have outputs. */
function nextStep({ body }: { body: { input?: unknown } }) {
  const ids = ((body.input ?? []) as Item[]).flatMap((item) => (isCallOutput(item) ? [item.call_id] : []));
  const last = Math.max(0, ...ids.map((id) => Number.parseInt(id.slice(1), 10)));
  return last >= STEPS ? reply(say('done')) : stepReply(last + 1);
}

function stepReply(step: number) {
  const id = `c${step}`;
  const run = (callId: string, cmd: string) => call('exec_command', { cmd }, { callId });
  switch (step % 4) {
    case 0:
      return reply(
        say('Two at once.'),
        run(`${id}a`, `echo ${id}a >> effects`),
        pause(5),
        run(`${id}b`, `echo ${id}b >> effects; sleep 0.03`),
      );
    case 1:
      return reply(run(id, `echo ${id} >> effects`));
    case 2:
      return reply(
        customCall('apply_patch', `*** Begin Patch\n*** Add File: ${id}.txt\n+${id}\n*** End Patch\n`, { callId: id }),
        pause(10),
      );
    default:
      return reply(run(id, `sleep 0.02; echo ${id} >> effects; sleep 0.05`), run(`${id}r`, 'ls'));
  }
}

/** Checks that each call in the log has one output, and that the output agrees with what happened. */
function countCalls(s: Scene, seen: { done: number; never: number; unknown: number }): void {
  const calls = new Map<string, CallItem>();
  const answered = new Set<string>();
  for (const line of readLog(s)) {
    if (line.type !== 'response_item') continue;
    if (isCall(line.payload)) {
      expect(calls.has(line.payload.call_id), `${line.payload.call_id} twice`).toBe(false);
      calls.set(line.payload.call_id, line.payload);
    }
    if (!isCallOutput(line.payload)) continue;
    expect(answered.has(line.payload.call_id)).toBe(false);
    answered.add(line.payload.call_id);
    checkEffect(s, line, seen);
  }
  expect(answered).toEqual(new Set(calls.keys()));
}

function checkEffect(s: Scene, line: LogLine, seen: { done: number; never: number; unknown: number }): void {
  if (line.type !== 'response_item' || !isCallOutput(line.payload)) return;
  const { call_id: id, output } = line.payload;
  const times = effects(s, id);
  if (line.metadata?.success) {
    seen.done++;
    expect(times, `${id} is done`).toBe(id.endsWith('r') ? 0 : 1);
  } else if (output === 'aborted') {
    seen.never++;
    expect(times, `${id} never started`).toBe(0);
  } else {
    seen.unknown++;
    expect(output).toMatch(/stopped while this call was running/);
    expect(times, `${id} is unknown`).toBeLessThanOrEqual(1);
  }
}

function effects({ workspace }: Scene, id: string): number {
  const names = readdirSync(workspace.path);
  if (names.includes(`${id}.txt`)) return 1;
  if (!names.includes('effects')) return 0;
  return workspace
    .read('effects')
    .split('\n')
    .filter((line) => line === id).length;
}

function hasRollout(s: Scene): boolean {
  return rolloutPath(s) !== '';
}

function readLog(s: Scene): LogLine[] {
  const text = readFileSync(rolloutPath(s), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine);
}

const paths = new WeakMap<Scene, string>();

function rolloutPath(s: Scene): string {
  const known = paths.get(s);
  if (known !== undefined) return known;
  const names = readdirSync(s.workspace.home, { recursive: true, encoding: 'utf8' });
  const files = names.filter((one) => one.endsWith('.jsonl') && one.includes('rollout-'));
  // A file without a line is left by a process that died before its first line.
  const path = files.map((name) => join(s.workspace.home, name)).find((one) => statSync(one).size > 0);
  if (path !== undefined) paths.set(s, path);
  return path ?? '';
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
