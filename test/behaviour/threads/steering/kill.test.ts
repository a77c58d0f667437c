import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, reply, type Script, say } from '../../../../src/testing/index.ts';
import { outlineOf } from '../../../harness/outline.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { runOxbow, startOxbow } from '../../../harness/run-oxbow.ts';
import { runs } from '../../../harness/runs.ts';
import { scene } from '../../../harness/scene.ts';

const KILLS = runs(24);
const INPUTS = 6;

/** Calls and answers in turn, so that inputs are accepted after outputs as well as after answers. */
const script: Script = (_, n) =>
  n % 3 === 0 ? reply(say(`answer ${n}`)) : reply(call('exec_command', { cmd: 'true' }));

const names = Array.from({ length: INPUTS }, (_, n) => `input ${n}`);

/** Returns the inputs in a request, in their order. */
const inputsIn = (outline: readonly string[]) =>
  outline.flatMap((line) => (line.startsWith('user: input ') ? [line.slice('user: '.length)] : []));

test(`${KILLS} kills at any point lose no input that was reported as queued, and send none twice`, {
  timeout: 300_000,
}, async () => {
  const left = { queued: 0, taken: 0 };
  // A test that never met one of the two would prove nothing about it, so few kills may not be enough.
  for (let kill = 0; kill < KILLS || left.queued === 0 || left.taken === 0; kill++) {
    const s = await scene(script);
    const program = await startOxbow(['exec', '--json', '--input-format', 'jsonl'], { ...s, keepStdinOpen: true });
    const ended = program.wait();
    const feeding = (async () => {
      for (const text of names) {
        program.stdin.write(`${JSON.stringify({ type: 'input', text, id: text })}\n`);
        await delay(15);
      }
    })();
    await program.waitForEvent(({ type }) => type === 'queue.changed');
    await delay(((kill % KILLS) * 150) / KILLS);
    program.kill('SIGKILL');
    await Promise.all([ended, feeding]);

    const id = String(program.events[0]?.thread_id);
    const told = new Set(
      program.events.flatMap(({ queue = [] }) => (queue as { id: string }[]).map((input) => input.id)),
    );
    const resumed = await runOxbow(['exec', '--json', 'resume', id, 'the end'], s);
    expect(resumed.code).toBe(0);
    const said = inputsIn(outlineOf(s.model.requests.at(-1)));
    expect(said).toEqual(names.slice(0, said.length));
    expect(said.length).toBeGreaterThanOrEqual(told.size);
    const takenNow = resumed.events.filter(({ type }) => type === 'input.taken').length;
    left.queued += takenNow;
    left.taken += said.length - takenNow;
    for (const request of s.model.requests) expect(requestFaults(request.body)).toEqual([]);
  }
});
