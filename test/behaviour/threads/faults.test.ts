import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgent } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';
const LONG = 'x'.repeat(200_000);

/** Returns the path of the one rollout and its lines. Throws when a line is not whole. */
function rolloutIn(home: string): { path: string; lines: { ordinal?: number; type: string }[] } {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const path = join(home, names.find((name) => name.includes('rollout-')) ?? '');
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^$|\n$/);
  return {
    path,
    lines: text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line)),
  };
}

/** Expects one sentence or two for a person, and no more. */
function expectSentence(stderr: string, ...parts: readonly string[]): void {
  for (const part of parts) expect(stderr).toContain(part);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(stderr.match(/cannot be (kept|read)/g)).toHaveLength(1);
}

function expectValid(s: Scene): void {
  expect(s.model.unexpected).toEqual([]);
  for (const request of s.model.requests) expect(requestFaults(request.body)).toEqual([]);
}

test('a line that does not fit is removed again, and the thread continues when there is room', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'echo 1' })), reply(say(LONG)), reply(say('done'))]);
  // A limit on the size of files cuts the last line off in the middle.
  const wrap = ['sh', '-c', 'ulimit -f 128; exec "$0" "$@"'];
  const full = await runOxbow(['exec', 'go'], { ...s, wrap });
  expect(full.code).toBe(1);
  expectSentence(
    full.stderr,
    'The thread cannot be kept in',
    'file too large',
    'Make room, then go on with the thread',
  );
  const { lines } = rolloutIn(s.workspace.home);
  expect(lines.length).toBeGreaterThan(5);
  const next = await runOxbow(['exec', 'resume', '--last', 'go on'], s);
  expect(next.code, next.stderr).toBe(0);
  const ordinals = rolloutIn(s.workspace.home).lines.map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual(ordinals.map((_, n) => n));
  expectValid(s);
});

test('a turn whose call could not be kept records that it failed, and is reproduced', async () => {
  const cmd = 'touch made; head -c 150000 /dev/zero | tr "\\0" x';
  const s = await scene([reply(call('exec_command', { cmd, max_output_tokens: 50_000 })), reply(say('done'))]);
  const wrap = ['sh', '-c', 'ulimit -f 128; exec "$0" "$@"'];
  const full = await runOxbow(['exec', 'go'], { ...s, wrap, config: { tool_output_token_limit: 50_000 } });
  expect(full.code).toBe(1);
  expect(s.rollout().at(-1)).toMatchObject({
    payload: { kind: 'turn.failed', message: expect.stringContaining('file too large') },
  });
  const next = await runOxbow(['exec', 'resume', '--last', 'go on'], s);
  expect(next.code, next.stderr).toBe(0);
  expect([...s.outputs(1).values()]).toEqual([expect.stringContaining('is not known')]);
  expectValid(s);
});

test('lines that belong together and do not fit are removed together', async () => {
  const s = await scene([reply(say('done'))]);
  // The log has the input in two lines. Only the first one fits into the file.
  const wrap = ['sh', '-c', 'ulimit -f 256; exec "$0" "$@"'];
  const full = await runOxbow(['exec', 'x'.repeat(90_000)], { ...s, wrap });
  expect(full.code).toBe(1);
  expectSentence(full.stderr, 'The thread cannot be kept in', 'file too large');
  const { path } = rolloutIn(s.workspace.home);
  expect(readFileSync(path, 'utf8')).not.toContain('xxxx');
  expect(s.model.requests).toHaveLength(0);
  const next = await runOxbow(['exec', 'resume', '--last', 'go on'], s);
  expect(next.code, next.stderr).toBe(0);
  const ordinals = rolloutIn(s.workspace.home).lines.map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual(ordinals.map((_, n) => n));
  expectValid(s);
});

test.skipIf(!existsSync(BUBBLEWRAP))('a full disk loses nothing, and the next run continues', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'echo 1' })), reply(say(LONG)), reply(say('done'))]);
  const { home } = s.workspace;
  const sessions = join(home, 'sessions');
  mkdirSync(sessions);
  // Everything lies on one such disk, which is gone afterwards.
  const script = [
    `"$0" exec -s danger-full-access go; echo "code $?"`,
    `cp -r ${sessions} ${home}/full`,
    `rm ${sessions}/filler`,
    `"$0" exec -s danger-full-access resume --last on; echo "code $?"`,
    `cp -r ${sessions} ${home}/later`,
  ];
  const fill = `head -c 260000 /dev/zero > ${sessions}/filler`;
  const wrap = [BUBBLEWRAP, '--dev-bind', '/', '/', '--size', '425984', '--tmpfs', sessions, 'sh', '-c'];
  const run = await runOxbow([], { ...s, wrap: [...wrap, [fill, ...script].join('\n')] });
  expect(run.stdout.match(/^code \d+$/gm)).toEqual(['code 1', 'code 0']);
  expectSentence(
    run.stderr,
    'The thread cannot be kept in',
    'the disk is full',
    'Make room, then go on with the thread',
  );
  const before = rolloutIn(join(home, 'full')).lines;
  const after = rolloutIn(join(home, 'later')).lines;
  expect(before.length).toBeGreaterThan(5);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.map(({ ordinal }) => ordinal)).toEqual(after.map((_, n) => n));
  expectValid(s);
});

test.skipIf(!existsSync(BUBBLEWRAP))('a home that is not writable is named, with two remedies', async () => {
  const s = await scene([reply(say('done')), reply(say('done'))]);
  const { home } = s.workspace;
  const wrap = [BUBBLEWRAP, '--dev-bind', '/', '/', '--ro-bind', home, home];
  const run = await runOxbow(['exec', 'go'], { ...s, wrap });
  expect(run.code).toBe(1);
  expectSentence(
    run.stderr,
    'the file system is read-only',
    'OXBOW_HOME may name another folder',
    '--ephemeral keeps no record',
  );
  expect(s.model.requests).toHaveLength(0);
  expect((await runOxbow(['exec', '--ephemeral', 'go'], { ...s, wrap })).code).toBe(0);
});

test('a folder instead of a rollout, and a file instead of a folder, are named', async () => {
  const s = await scene([reply(say('one')), reply(say('two'))]);
  expect((await runOxbow(['exec', 'go'], s)).code).toBe(0);
  const { path } = rolloutIn(s.workspace.home);
  renameSync(path, `${path}.aside`);
  mkdirSync(path);
  const id = path.slice(-'.jsonl'.length - 36, -'.jsonl'.length);
  const unreadable = await runOxbow(['exec', 'resume', id, 'go'], s);
  expect(unreadable.code).toBe(1);
  expectSentence(unreadable.stderr, `The rollout ${path} cannot be read: it is a folder.`, 'Nothing was changed.');
  rmSync(path, { recursive: true });
  renameSync(`${path}.aside`, path);
  const sessions = join(s.workspace.home, 'sessions');
  renameSync(sessions, `${sessions}.aside`);
  writeFileSync(sessions, '');
  const inTheWay = await runOxbow(['exec', 'go'], s);
  expect(inTheWay.code).toBe(1);
  expectSentence(inTheWay.stderr, 'The thread cannot be kept in', 'A file stands where a folder is needed');
  rmSync(sessions);
  renameSync(`${sessions}.aside`, sessions);
  expect((await runOxbow(['exec', 'resume', id, 'go on'], s)).code).toBe(0);
  expectValid(s);
});

test('a damaged line is reported, and the run continues without it', async () => {
  const s = await scene([reply(say('one')), reply(say('two'))]);
  expect((await runOxbow(['exec', 'go'], s)).code).toBe(0);
  const { path, lines } = rolloutIn(s.workspace.home);
  const text = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, text.toSpliced(3, 0, '\u0000\u0000{"oops').join('\n'));
  const run = await runOxbow(['exec', 'resume', '--last', 'go on'], s);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain(`${path}: line 4 is not JSON and was skipped`);
  expect(lines.length).toBeGreaterThan(4);
  expectValid(s);
});

const DAY_MS = 86_400_000;

test.each([
  ['goes backwards', -60_000],
  ['jumps ahead', 40 * DAY_MS],
])('a clock that %s spoils no duration, repeats no number and hides no thread', async (_, step) => {
  let now = Date.UTC(2026, 5, 1, 12);
  const jump = () => {
    now += step;
    return now;
  };
  const answers = [reply(call('exec_command', { cmd: 'echo 1' })), reply(say('one')), reply(say('two'))];
  const s = await libraryScene(answers);
  const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
  const ids = (n: number) =>
    `00000000-0000-7000-8000-${String(process.pid).padStart(8, '0')}${String(n).padStart(4, '0')}`;
  let made = 0;
  const monotonic = () => Math.floor(performance.now());
  const world = { now: jump, monotonic, uuid: () => ids(++made), random: () => 0.5, sleep: async () => {} };
  const agent = createAgent({ env, cwd: s.workspace.path, world });
  const first = await agent.startThread(s.threadOptions());
  const one = await first.run('go');
  await first.close();
  const again = await agent.resumeThread(first.id, s.threadOptions());
  const two = await again.run('go on');
  await again.close();
  expect([one.status, two.status]).toEqual(['completed', 'completed']);
  for (const { ledger } of [one, two]) {
    expect(Object.values({ ...ledger, usage: 0, cost: 0 }).every((value) => value >= 0)).toBe(true);
  }
  const { lines } = rolloutIn(s.workspace.home);
  expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, n) => n));
  const texts = JSON.stringify([lines, s.events]);
  const durations = [...texts.matchAll(/"(?:ms|duration_ms|durationMs|modelMs|toolMs)":(-?[\d.e+]+)/g)].map(([, ms]) =>
    Number(ms),
  );
  expect(durations.length).toBeGreaterThan(4);
  for (const ms of durations) expect(ms >= 0 && ms < DAY_MS).toBe(true);
  expect(await agent.lastThread()).toBe(first.id);
  expectValid(s);
});
