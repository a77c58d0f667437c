import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { notReplayed } from '../../harness/replay-rollouts.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { survivors } from '../../harness/survivors.ts';

const ENV = { SHELL: '/bin/bash' };
const FREELY = { sandbox_mode: 'danger-full-access' };
const SCRIPT = [reply(call('exec_command', { cmd: 'echo hello' })), reply(say('done'))];

const warnings = (stderr: string) =>
  stderr.split('\n').filter((line) => line.includes('The login profile of /bin/bash'));

test('a profile that takes too long removes its lock, is named in a warning and is not run again', {
  timeout: 60_000,
}, async () => {
  const { workspace, model } = await scene([...SCRIPT, ...SCRIPT]);
  const lock = join(workspace.home, 'lock');
  writeFileSync(
    join(workspace.home, '.bash_profile'),
    `echo run >> ~/runs; mkdir ${lock} || exit 1; trap 'rmdir ${lock}' EXIT; sleep 301.5`,
  );
  const first = await runOxbow(['exec', 'hello'], { workspace, model, config: FREELY, env: ENV });
  expect(first.code).toBe(0);
  expect(warnings(first.stderr)).toEqual([expect.stringContaining('was ended: it takes longer than 10 seconds.')]);
  expect(existsSync(lock)).toBe(false);
  expect(survivors('301.5')).toEqual([]);
  const second = await runOxbow(['exec', 'hello'], { workspace, model, config: FREELY, env: ENV });
  expect(second.code).toBe(0);
  expect(warnings(second.stderr)).toEqual([expect.stringContaining('is not run')]);
  expect(second.durationMs).toBeLessThan(first.durationMs);
});

test('no login shell outlives an oxbow that was killed', async () => {
  const { workspace, model } = await scene(SCRIPT);
  notReplayed('its process was killed');
  writeFileSync(join(workspace.home, '.bash_profile'), 'touch ~/begun; sleep 302.5');
  const program = await startOxbow(['exec', 'hello'], { workspace, model, config: FREELY, env: ENV });
  await expect.poll(() => existsSync(join(workspace.home, 'begun')), { timeout: 20_000 }).toBe(true);
  program.kill('SIGKILL');
  await program.wait();
  await expect.poll(() => survivors('302.5'), { timeout: 10_000 }).toEqual([]);
});
