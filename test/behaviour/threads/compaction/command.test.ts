import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { reply, say } from '../../../../src/testing/index.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { counting, echo, outline } from './scene.ts';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../../../bin/oxbow', import.meta.url));

function idOf({ rollout }: Scene): string {
  const [first] = rollout();
  return first?.type === 'session_meta' ? first.payload.id : '';
}

test('oxbow threads compact shortens a thread, and says by how much', async () => {
  const s = await scene([reply(say('one')), reply(say('SUMMARY')), reply(say('two'))]);
  const { model, workspace } = s;
  await runOxbow(['exec', 'first'], { workspace, model });
  const id = idOf(s);
  const done = await runOxbow(['threads', 'compact', id], { workspace });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toMatch(/^Thread [-0-9a-f]+: \d+ tokens before, \d+ now, by estimate\.\n$/);
  const again = await run(PROGRAM, ['threads', 'compact', id, '--json'], {
    env: { PATH: process.env.PATH, HOME: workspace.home, OXBOW_HOME: workspace.home, SCRIPTED_KEY: 'k' },
    cwd: workspace.path,
  });
  expect(JSON.parse(again.stdout)).toEqual({ thread_id: id, compacted: false });
  await runOxbow(['exec', 'resume', id, 'second'], { workspace });
  expect(outline(model.requests[2]?.body.input)).toEqual([
    'user: first',
    'summary',
    'permissions',
    'environment',
    'user: second',
  ]);
});

test('oxbow threads compact reports mistakes', async () => {
  const s = await scene([reply(say('one')), reply(say('')), reply(say(''))]);
  const { model, workspace } = s;
  await runOxbow(['exec', 'first'], { workspace, model });
  const id = idOf(s);
  const failed = await runOxbow(['threads', 'compact', id], { workspace });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/could not be compacted and was left as it was: the model wrote no summary/);
  expect(await runOxbow(['threads', 'compact'], { workspace })).toMatchObject({ code: 2 });
  expect(await runOxbow(['threads', 'compact', 'nothing-like-it'], { workspace })).toMatchObject({ code: 1 });
  const help = await runOxbow(['threads', 'compact', '--help'], { workspace });
  expect(help.stdout).toContain('oxbow threads compact 01a1dfaa-5614');
});

test('exec reports a compaction in one line, and not in its JSON', async () => {
  const script = [reply(echo('one'), counting(30_000)), reply(say('SUMMARY')), reply(say('done'))];
  const config = { model_auto_compact_token_limit: 20_000 };
  const human = await scene(script);
  const { stderr, stdout } = await runOxbow(['exec', 'do it'], { ...human, config });
  expect(stderr.match(/compacted: [\d.]+k tokens before, [\d.]+k now/g)).toHaveLength(1);
  expect(stdout).toBe('done\n');
  const json = await scene(script);
  const { events } = await runOxbow(['exec', '--json', 'do it'], { ...json, config });
  expect(events.map(({ type }) => type)).toEqual([
    'thread.started',
    'turn.started',
    'item.started',
    'item.completed',
    'item.completed',
    'turn.completed',
  ]);
});
