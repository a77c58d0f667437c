import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type Item, isCallOutput } from '../../../src/base/item.ts';
import type { LogLine } from '../../../src/base/log.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { runs } from '../../harness/runs.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { startProgram } from '../../harness/start-program.ts';

// A kill takes seconds, so that a shorter run makes few of them.
const KILLS = Math.max(4, Math.ceil(runs(320) / 10));
/** An answer and its request write about this many lines. */
const MOST_LINES = 16;
/** A thread is listed when its first input is on record. */
const FIRST_LINES = 10;
const STEPS = 6;

test(`${KILLS} kills around suspended questions run no call twice`, { timeout: 400_000 }, async () => {
  const seen = { processes: 0, kills: 0, ran: 0 };
  while (seen.kills < KILLS) {
    const s = await scene(nextStep);
    s.workspace.configure(scriptedConfig(s.model.url));
    while (!(await oneProcess(s, seen)));
    expect(s.model.unexpected).toEqual([]);
    for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
    checkEffects(s, seen);
  }
  // A test in which no call ran would prove nothing.
  expect(seen.ran).toBeGreaterThan(5);
});

/** Lets a process make one step of the thread. Kills every other process. Returns true when all steps are done. */
async function oneProcess(s: Scene, seen: { processes: number; kills: number }): Promise<boolean> {
  const { path: cwd, home } = s.workspace;
  const program = await startProgram({
    command: process.execPath,
    args: [join(import.meta.dirname, 'suspend-program.mjs')],
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home, OXBOW_HOME: home, SCRIPTED_KEY: 'x' },
  });
  const ended = program.wait();
  const isSpared = seen.processes++ % 2 === 1;
  const lines = linesOf(s).length + (isSpared ? Number.POSITIVE_INFINITY : seen.kills % MOST_LINES);
  const limit = Math.max(FIRST_LINES, lines);
  const killed = await killAt(s, program, ended, limit);
  const { code, stdout, stderr, marker } = await ended;
  await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), { timeout: 10_000 });
  if (killed) seen.kills++;
  else expect(code, stderr).toBe(0);
  return stdout === 'completed\n';
}

async function killAt(
  s: Scene,
  program: { kill(signal: NodeJS.Signals): void },
  ended: Promise<unknown>,
  limit: number,
): Promise<boolean> {
  let over = false;
  void ended.finally(() => {
    over = true;
  });
  for (let size = 0; !over; ) {
    const now = paths(s).reduce((sum, path) => sum + statSync(path).size, 0);
    const hasGrown = now !== size;
    size = now;
    if (hasGrown && linesOf(s).length > limit) {
      program.kill('SIGKILL');
      return true;
    }
    await nextRound();
  }
  return false;
}

/** Returns the next step of the task: the one after the last step whose calls have outputs. */
function nextStep({ body }: { body: { input?: unknown } }) {
  const ids = ((body.input ?? []) as Item[]).flatMap((item) => (isCallOutput(item) ? [item.call_id] : []));
  const step = Math.max(0, ...ids.map((id) => Number.parseInt(id.slice(1), 10))) + 1;
  if (step > STEPS) return reply(say('done'));
  const asked = (callId: string) => {
    const cmd = `echo ${callId} >> effects`;
    return call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'x' }, { callId });
  };
  return reply(
    asked(`c${step}a`),
    call('exec_command', { cmd: 'echo read' }, { callId: `c${step}r` }),
    asked(`c${step}b`),
  );
}

/** Checks that each call has one output, and that it ran once, or never, or perhaps, as its output says. */
function checkEffects(s: Scene, seen: { ran: number }): void {
  const effects = existsSync(s.workspace.file('effects')) ? s.workspace.read('effects').split('\n') : [];
  for (const { type, payload } of linesOf(s)) {
    if (type !== 'response_item' || !isCallOutput(payload) || payload.call_id.endsWith('r')) continue;
    const times = effects.filter((id) => id === payload.call_id).length;
    const output = String(payload.output);
    if (output.includes('exited with code 0')) expect(times, payload.call_id).toBe(1);
    else if (output.includes('not known')) expect(times, payload.call_id).toBeLessThan(2);
    else expect([times, output]).toEqual([0, 'aborted']);
    seen.ran += times;
  }
}

function linesOf(s: Scene): LogLine[] {
  const texts = paths(s).flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1));
  return texts.map((text) => JSON.parse(text) as LogLine);
}

function paths(s: Scene): string[] {
  const folder = join(s.workspace.home, 'sessions');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  expect(names.length).toBeLessThan(2);
  return names.map((name) => join(folder, name));
}
