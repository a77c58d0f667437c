import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThreadDetails, ThreadSummary } from '../../../../src/index.ts';
import { reply, say } from '../../../../src/testing/index.ts';
import { notReplayed } from '../../../harness/replay-rollouts.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { scene } from '../../../harness/scene.ts';
import { codexLines, rolloutPaths, sent, threads, turn, writeThread } from './scene.ts';

const WRITTEN = 'rollouts of others, and damaged ones';

describe('oxbow threads', () => {
  test('lists the threads of the folder in lines, and with --all those of other folders', async () => {
    notReplayed(WRITTEN);
    const s = await scene([reply(say('hi'))]);
    const id = await turn(['what   is\nthis?'], s);
    writeThread(s.workspace, 'of-codex', codexLines('of-codex', [['their task', 'ok']]), '2030-01-01T00-00-00');
    const here = await threads([], s);
    expect(here).toMatchObject({ code: 0, stderr: '' });
    expect(here.stdout).toMatch(/^\S+\t\d{4}-\d\d-\d\dT[\d:.]+Z\t\S+\twhat is this\?\n$/);
    expect(here.stdout.split('\t').toSpliced(1, 1)).toEqual([id, s.workspace.path, 'what is this?\n']);
    const elsewhere = { workspace: s.workspace, cwd: s.workspace.home };
    const named = await runOxbow(['-C', s.workspace.path, 'threads', 'list'], elsewhere);
    expect(named).toMatchObject({ code: 0, stdout: here.stdout });
    const all = await threads(['list', '--all'], s);
    expect(all.stdout.split('\n').map((line) => line.split('\t')[0])).toEqual(['of-codex', id, '']);
    expect((await threads(['--all', '-n', '1'], s)).stdout).toMatch(/^of-codex\t[^\n]*\n$/);
    expect((await threads(['--all', '--search', 'THEIR'], s)).stdout).toMatch(/^of-codex\t[^\n]*\ttheir task\n$/);
    expect((await threads(['--search', 'nowhere'], s)).stdout).toBe('');
  });

  test('--json prints what the library returns', async () => {
    notReplayed(WRITTEN);
    const s = await scene([reply(say('hi'))]);
    const id = await turn(['hello'], s);
    const path = writeThread(s.workspace, 'of-codex', codexLines('of-codex', [['task', 'ok']]));
    const { stdout } = await threads(['--all', '--json'], s);
    const listed = JSON.parse(stdout) as ThreadSummary[];
    expect(listed.map((thread) => thread.id)).toEqual([id, 'of-codex']);
    expect(listed[1]).toEqual({
      id: 'of-codex',
      name: null,
      preview: 'task',
      cwd: '/somewhere',
      startedAt: '2026-01-02T03:04:05.678Z',
      changedAt: expect.any(String),
      bytes: readFileSync(path).length,
      source: 'exec',
      provider: 'other',
      model: 'theirs',
      forkedFrom: null,
      metadata: {},
      archived: false,
      label: path,
      path,
      note: null,
    });
    expect(JSON.parse((await threads(['--json', '--search', 'nowhere'], s)).stdout)).toEqual([]);
  });

  test('neither damaged files nor a home without threads break the list', async () => {
    notReplayed(WRITTEN);
    const s = await scene([]);
    expect(await threads([], s)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    writeThread(s.workspace, 'broken', ['{"oops', 'more'], '2026-01-05T00-00-00');
    writeThread(s.workspace, 'empty-one', [], '2026-01-04T00-00-00');
    const packed = writeThread(s.workspace, 'packed', ['x'], '2026-01-03T00-00-00');
    renameSync(packed, `${packed}.zst`);
    writeThread(s.workspace, 'fine', codexLines('fine', [['a task', 'ok']], { cwd: s.workspace.path }));
    writeFileSync(join(s.workspace.home, 'session_index.jsonl'), '{"id":"fine","thread_name":"well"}\n{"id":"fi');
    const { stdout, code } = await threads(['--all'], s);
    expect(code).toBe(0);
    const titles = stdout.split('\n').map((line) => line.split('\t').filter((_, column) => column % 3 === 0));
    expect(titles).toEqual([
      ['broken', 'The file is damaged: its first line does not say what thread it is.'],
      ['empty-one', 'The file is empty.'],
      ['packed', 'The file is compressed.'],
      ['fine', 'well'],
      [''],
    ]);
    expect((await threads([], s)).stdout).toMatch(/^broken\t.*\nempty-one\t.*\nfine\t.*\n$/);
  });

  test('wrong arguments get one sentence', async () => {
    const s = await scene([]);
    const rows: [string[], number, string][] = [
      [['frobnicate'], 2, 'oxbow threads has no verb "frobnicate". See oxbow threads --help.'],
      [['list', 'x'], 2, 'Unexpected "x". See oxbow threads list --help.'],
      [['--limit', '0'], 2, '--limit takes a whole number above zero, not "0".'],
      [['--nope'], 2, "Unknown option '--nope'. See oxbow threads list --help."],
      [['show'], 2, 'oxbow threads show takes THREAD.'],
      [['rename', 'x'], 2, 'oxbow threads rename takes THREAD and NAME.'],
      [['rename', 'x', 'two', 'words'], 2, 'quote arguments that contain spaces'],
      [['archive', 'a', 'b'], 2, 'oxbow threads archive takes THREAD: quote'],
      ...['show', 'export', 'archive', 'unarchive', 'delete'].map((verb): [string[], number, string] => [
        [verb, 'no-such'],
        1,
        `There is no thread no-such in ${s.workspace.home}.`,
      ]),
    ];
    for (const [args, code, message] of rows) {
      const result = await threads(args, s);
      expect(result.stderr).toContain(`oxbow: `);
      expect(result.stderr).toContain(message);
      expect(result.code).toBe(code);
      expect(result.stdout).toBe('');
    }
  });

  test('--help lists the verbs, and the help of each verb has an example', async () => {
    const s = await scene([]);
    const { stdout } = await threads(['--help'], s);
    const verbs = ['list', 'show', 'export', 'rename', 'archive', 'unarchive', 'delete'];
    for (const verb of verbs) {
      expect(stdout).toMatch(new RegExp(`^  ${verb} +\\S`, 'm'));
      const own = await threads([verb, '--help'], s);
      expect(own.code).toBe(0);
      expect(own.stdout).toMatch(/^Usage: oxbow threads /);
      expect(own.stdout).toMatch(/\nExample:\n {2}oxbow threads /);
    }
    const { stdout: script } = await runOxbow(['completion', 'fish'], s);
    const [, words = ''] = /from threads' -a '(.*)'/.exec(script) ?? [];
    expect(words.split(' ')).toEqual(expect.arrayContaining(verbs));
  });
});

describe('oxbow threads show', () => {
  test('shows the turns with their numbers', async () => {
    const s = await scene([reply(say('first answer\nsecond line')), reply(say('again'))]);
    const id = await turn(['one'], s);
    await turn(['resume', id, 'two'], s);
    const { stdout, code } = await threads(['show', id.slice(0, 13)], s);
    expect(code).toBe(0);
    expect(stdout).toContain(`thread   ${id}\n`);
    expect(stdout).toMatch(
      /\n {2}1 {2}\d{4}-\S+\n> one\n\nfirst answer\nsecond line\n\n\n {2}2 {2}\S+\n> two\n\nagain\n\n$/,
    );
    const shown = JSON.parse((await threads(['show', id, '--json'], s)).stdout) as ThreadDetails;
    expect(shown.turns).toMatchObject([
      { number: 1, status: 'completed', input: 'one', answer: 'first answer\nsecond line' },
      { number: 2, status: 'completed', input: 'two', answer: 'again' },
    ]);
    const keys = ['number', 'id', 'startedAt', 'status', 'endedAt', 'input', 'answer'];
    expect(new Set(Object.keys(shown.turns[0] ?? {}))).toEqual(new Set(keys));
    const { stdout: used } = await runOxbow(['usage', id], s);
    expect(used).toMatch(/^\s*1 +one /m);
    expect(used).toMatch(/^\s*2 +two /m);
  });

  test('turns that were rolled back are not shown, damaged lines are counted, and unfinished turns are marked', async () => {
    notReplayed(WRITTEN);
    const s = await scene([]);
    const turns = [
      ['one', '1'],
      ['two', '2'],
      ['three', '3'],
    ] as const;
    const back = {
      timestamp: 't',
      ordinal: 30,
      type: 'event_msg',
      payload: { type: 'thread_rolled_back', num_turns: 2 },
    };
    const more = { timestamp: 't', ordinal: 31, type: 'event_msg', payload: { type: 'task_started', turn_id: 'x' } };
    writeThread(s.workspace, 'thread-1', [...codexLines('thread-1', turns), '{"type":"event_m', back, more, '{"half']);
    const shown = JSON.parse((await threads(['show', 'thread-1', '--json'], s)).stdout) as ThreadDetails;
    expect(shown.note).toBe('2 of its lines cannot be read.');
    expect(shown.turns.map(({ number, status, input }) => [number, status, input])).toEqual([
      [1, 'completed', 'one'],
      [2, 'unfinished', null],
    ]);
  });

  test('text cannot send escape sequences to the terminal', async () => {
    notReplayed(WRITTEN);
    const s = await scene([]);
    const lines = codexLines('thread-1', [['\u001b]0;title\u0007red\u001b[31m', 'x\u001b[2J']]);
    writeThread(s.workspace, 'thread-1', lines);
    for (const args of [['--all'], ['show', 'thread-1']]) {
      const { stdout } = await threads(args, s);
      expect(stdout).toContain('red');
      expect(stdout).not.toContain('\u001b');
    }
  });
});

describe('names and the archive', () => {
  test('a name finds its thread, and is stored as Codex reads it', async () => {
    const s = await scene([reply(say('hi')), reply(say('again'))]);
    const id = await turn(['one'], s);
    const renamed = await threads(['rename', id, ' My thread '], s);
    expect(renamed).toMatchObject({ code: 0, stdout: `Thread ${id} is now called "My thread".\n` });
    const line = JSON.parse(readFileSync(join(s.workspace.home, 'session_index.jsonl'), 'utf8'));
    expect(line).toEqual({ id, thread_name: 'My thread', updated_at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect((await threads([], s)).stdout).toMatch(/\tMy thread\n$/);
    expect(await turn(['resume', 'My thread', 'two'], s)).toBe(id);
    for (const name of ['', 'a\nb', 'x'.repeat(101)]) {
      const refused = await threads(['rename', id, name], s);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^oxbow: A name /) });
    }
  });

  test('an archived thread is hidden until it is unarchived', async () => {
    const s = await scene([reply(say('hi')), reply(say('again'))]);
    const id = await turn(['one'], s);
    const [path = ''] = rolloutPaths(s.workspace);
    expect(await threads(['archive', id], s)).toMatchObject({ code: 0, stdout: `Thread ${id} is archived.\n` });
    expect(existsSync(join(s.workspace.home, 'archived_sessions', basename(path)))).toBe(true);
    expect((await threads([], s)).stdout).toBe('');
    expect((await threads(['--archived'], s)).stdout).toContain(id);
    const resumed = await runOxbow(['exec', 'resume', id, 'x'], s);
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain(`is archived. To unarchive it: oxbow threads unarchive ${id}`);
    expect((await runOxbow(['exec', 'resume', '--last', 'x'], s)).stderr).toContain('There is no thread of');
    expect(await threads(['archive', id], s)).toMatchObject({ code: 1 });
    const back = await threads(['unarchive', id.slice(0, 20)], s);
    expect(back).toMatchObject({ code: 0, stdout: `Thread ${id} is no longer archived.\n` });
    expect(rolloutPaths(s.workspace)).toEqual([path]);
    expect(await turn(['resume', id, 'two'], s)).toBe(id);
  });

  test('delete needs --yes when there is no user to ask, and removes the name too', async () => {
    const s = await scene([reply(say('hi'))]);
    const id = await turn(['one'], s);
    await threads(['rename', id, 'short-lived'], s);
    const asked = await threads(['delete', id], s);
    expect(asked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Pass --yes') });
    expect(rolloutPaths(s.workspace)).toHaveLength(1);
    expect(await threads(['delete', 'short-lived', '--yes'], s)).toMatchObject({
      code: 0,
      stdout: `Thread ${id} is deleted.\n`,
    });
    expect(rolloutPaths(s.workspace)).toEqual([]);
    expect(readFileSync(join(s.workspace.home, 'session_index.jsonl'), 'utf8')).toBe('');
  });

  test('a home that is not writable is reported', async () => {
    notReplayed('there is no folder of archived threads');
    const s = await scene([reply(say('hi'))]);
    const id = await turn(['one'], s);
    mkdirSync(join(s.workspace.home, 'session_index.jsonl'));
    expect(await threads(['rename', id, 'x'], s)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The name cannot be kept in'),
    });
    writeFileSync(join(s.workspace.home, 'archived_sessions'), 'a file');
    expect(await threads(['archive', id], s)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be moved to'),
    });
  });
});

test('resume accepts the beginning of an id, and lists the candidates', async () => {
  notReplayed(WRITTEN);
  const s = await scene([reply(say('hi'))]);
  writeThread(s.workspace, '01aa-first', codexLines('01aa-first', [['one', '1']]));
  writeThread(s.workspace, '01aa-second', codexLines('01aa-second', [['two', '2']]));
  const unclear = await runOxbow(['exec', 'resume', '01aa', 'x'], s);
  expect(unclear.code).toBe(1);
  expect(unclear.stderr).toContain('01aa may be several threads: 01aa-second, 01aa-first. Give more of the id.');
  expect(await turn(['resume', '01aa-s', 'three'], s)).toBe('01aa-second');
  expect(sent(s, 0)).toEqual(expect.arrayContaining(['two', '2', 'three']));
  expect((await runOxbow(['exec', 'resume', '01a', 'x'], s)).stderr).toContain('There is no thread 01a in');
});
