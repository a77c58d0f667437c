import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const git = (s: Scene, ...args: string[]) =>
  execFileSync('git', ['-C', s.workspace.path, '-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: s.workspace.home },
  }).trim();

function commit(s: Scene, text: string): string {
  s.workspace.write('file.txt', text);
  git(s, 'add', '-A');
  git(s, 'commit', '-q', '-m', `write ${text.trim()}`);
  return git(s, 'rev-parse', 'HEAD');
}

const ANSWER = JSON.stringify({
  findings: [
    {
      title: '[P1] Wrong word',
      body: 'It should be another.',
      confidence_score: 0.9,
      priority: 1,
      code_location: { absolute_file_path: '/w/file.txt', line_range: { start: 1, end: 2 } },
    },
  ],
  overall_correctness: 'patch is incorrect',
  overall_explanation: 'One thing is wrong.',
  overall_confidence_score: 0.8,
});

test('a review of uncommitted changes is requested and printed as text', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'git diff' })), reply(say(ANSWER))]);
  commit(s, 'one\n');
  s.workspace.write('file.txt', 'two\n');
  const result = await runOxbow(['exec', 'review', '--json'], s);
  expect(result.code).toBe(0);
  const messages = result.events.flatMap(({ item }) => (item?.type === 'agent_message' ? [item.text] : []));
  expect(messages).toEqual([
    'One thing is wrong.\n\nReview comment:\n\n- [P1] Wrong word — /w/file.txt:1-2\n  It should be another.',
  ]);
  const body = s.model.requests[0]?.body;
  expect(body?.instructions).not.toContain('You are Oxbow, a coding agent');
  expect(JSON.stringify(body?.input?.at(-1))).toMatch(/staged, unstaged/i);
});

test('a review of a commit, of a branch, and in the words of the user', async () => {
  const s = await scene(() => reply(say('All good.')));
  const first = commit(s, 'one\n');
  git(s, 'branch', 'before');
  const second = commit(s, 'two\n');
  const asked = async (...args: string[]) => {
    const result = await runOxbow(['exec', 'review', ...args], s);
    expect(result.stdout).toBe('All good.\n');
    return JSON.stringify(s.model.requests.at(-1)?.body.input?.at(-1));
  };
  expect(await asked('--commit', second, '--title', 'the second')).toMatch(
    new RegExp(`${second}.*the second|the second.*${second}`),
  );
  expect(await asked('--base', 'before')).toContain(first);
  expect(await asked('look at the tests only')).toContain('look at the tests only');
  const none = await runOxbow(['exec', 'review'], s);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain('nothing to review');
});

test('--worktree leaves the files of the user alone and says what to do with the worktree', async () => {
  const s = await scene([reply(call('exec_command', { cmd: 'pwd; echo new > new.txt' })), reply(say('done'))]);
  commit(s, 'one\n');
  const result = await runOxbow(['exec', '--worktree', 'go'], s);
  expect(result.code).toBe(0);
  const [path = ''] = /\S*\/worktrees\/\S*\/workspace/.exec(s.outputs(1).get('call_1') ?? '') ?? [];
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('new\n');
  expect(existsSync(s.workspace.file('new.txt'))).toBe(false);
  expect(result.stderr).toContain('Working in the git worktree');
  expect(result.stderr).toContain('git');
  expect(result.stdout).toBe('done\n');
});

test('--worktree goes on with the thread of the folder of the user, and makes no worktree for nothing', async () => {
  const s = await scene([reply(say('one')), reply(say('two'))]);
  commit(s, 'one\n');
  const none = await runOxbow(['exec', 'resume', '--last', '--worktree', 'go'], s);
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no thread of') });
  const unknown = await runOxbow(['exec', 'resume', 'nothing-like-it', '--worktree', 'go'], s);
  expect(unknown.code).toBe(1);
  const review = await runOxbow(['exec', 'review', '--uncommitted', '--worktree'], s);
  expect(review).toMatchObject({ code: 2, stderr: expect.stringContaining('a new worktree has no changes to review') });
  expect(existsSync(join(s.workspace.home, 'worktrees'))).toBe(false);
  await runOxbow(['exec', 'go'], s);
  const resumed = await runOxbow(['exec', 'resume', '--last', '--worktree', 'go on'], s);
  expect(resumed).toMatchObject({ code: 0, stdout: 'two\n' });
  expect(resumed.stderr).toContain('Working in the git worktree');
  expect(JSON.stringify(s.model.requests[1]?.body.input)).toContain('one');
});
