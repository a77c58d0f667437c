import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clockTime } from '../../../src/base/local-time.ts';
import { fault, raw, reply, say } from '../../../src/testing/index.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const HEADERS = {
  'x-codex-primary-used-percent': '100',
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-after-seconds': '3600',
};

const limited = (seconds: number) =>
  fault.status(
    429,
    { error: { type: 'usage_limit_reached', message: 'no', plan_type: 'plus', resets_in_seconds: seconds } },
    HEADERS,
  );

const FRAME = raw({
  type: 'codex.rate_limits',
  plan_type: 'pro',
  rate_limits: { primary: { used_percent: 40, window_minutes: 300, reset_at: 4_000_000_000 } },
});

test('a usage limit is a sentence with the local time, data in JSON, and a line of oxbow usage', async () => {
  const { model, workspace } = await scene([limited(3600)]);
  const { code, events } = await runOxbow(['exec', '--json', 'hello'], { workspace, model });
  expect(code).toBe(1);
  const failure = events.at(-1) as Record<string, unknown>;
  const { error } = failure as { error: { message: string; resets_at: number } };
  expect(error.message).toBe(
    `You’ve hit your usage limit. Try again at ${clockTime(error.resets_at * 1000)}. The plan of this account is plus.`,
  );
  expect(Math.abs(error.resets_at * 1000 - Date.now() - 3_600_000)).toBeLessThan(60_000);
  expect(failure.usage_limits).toEqual({
    plan: 'plus',
    windows: [{ name: 'primary', used_percent: 100, window_minutes: 300, resets_at: expect.any(Number) }],
  });
  const { stdout } = await runOxbow(['usage'], { workspace });
  expect(stdout).toMatch(
    /\nLimits of scripted, key from SCRIPTED_KEY, plan plus, as of [^:]+:\d\d on \S+:\n {2}5 hours: 100% used, resets at /,
  );
  const { stdout: json } = await runOxbow(['usage', '--json'], { workspace });
  expect(JSON.parse(json).limits).toMatchObject([{ provider: 'scripted', keyFrom: 'SCRIPTED_KEY', plan: 'plus' }]);
});

test('a frame with limits is data, and the newest one counts', async () => {
  const { model, workspace } = await scene([reply(FRAME, say('hi'))]);
  const { code, events } = await runOxbow(['exec', '--json', 'hello'], { workspace, model });
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({
    type: 'turn.completed',
    usage_limits: {
      plan: 'pro',
      windows: [{ name: 'primary', used_percent: 40, window_minutes: 300, resets_at: 4_000_000_000 }],
    },
  });
  const file = readFileSync(join(workspace.home, 'usage-limits.json'), 'utf8');
  expect(JSON.parse(file)).toMatchObject([{ provider: 'scripted', plan: 'pro' }]);
  expect(file).not.toContain('scripted-key');
});

test('on_usage_limit = "wait" waits for the reset and goes on', async () => {
  const { model, workspace } = await scene([limited(1), limited(1), reply(say('hi'))]);
  const config = { on_usage_limit: 'wait' };
  const { code, stdout, stderr } = await runOxbow(['exec', 'hello'], { workspace, model, config });
  expect(stderr).toMatch(/The usage limit is reached\. Waiting until \d\d:\d\d on \S+\. Interrupt to stop\./);
  expect([code, stdout]).toEqual([0, 'hi\n']);
  const [first = 0, second = 0] = model.requests.map(({ receivedAt }) => receivedAt);
  expect(second - first).toBeGreaterThanOrEqual(1000);
});

test('an interrupt ends the wait', async () => {
  const { model, workspace } = await scene([limited(3600)]);
  const program = await startOxbow(['exec', 'hello'], { workspace, model, config: { on_usage_limit: 'wait' } });
  await program.waitForError(/Waiting until/);
  program.kill('SIGINT');
  expect((await program.wait()).code).toBe(1);
  expect(model.requests).toHaveLength(1);
});

test('a limit whose end is unknown is not waited for, and a server without limits leaves no file', async () => {
  const unknown = fault.status(429, { error: { type: 'usage_limit_reached', message: 'no' } });
  const { model, workspace } = await scene([reply(say('hi')), unknown]);
  const config = { on_usage_limit: 'wait' };
  expect((await runOxbow(['exec', 'hello'], { workspace, model, config })).code).toBe(0);
  expect(existsSync(join(workspace.home, 'usage-limits.json'))).toBe(false);
  const { code, stderr } = await runOxbow(['exec', 'hello'], { workspace, model, config });
  expect(code).toBe(1);
  expect(stderr).toContain('You’ve hit your usage limit. Try again later.');
});
