import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { ThreadQuery, ThreadSummary } from '../../base/thread-store.ts';
import { event, lineText, metaLine, said } from '../../log/test-lines.ts';
import { testHome, writeThread } from '../test-rollouts.ts';
import { listThreads } from './list-threads.ts';
import { addName } from './thread-names.ts';

async function list(home: string, query?: ThreadQuery): Promise<ThreadSummary[]> {
  const threads: ThreadSummary[] = [];
  for await (const { thread } of listThreads(home, query)) threads.push(thread);
  return threads;
}

const ids = (threads: readonly ThreadSummary[]) => threads.map(({ id }) => id);

test('a thread has the facts of its head, its name, size and time', async () => {
  const home = testHome();
  const lines = [
    metaLine('one', { model_provider: 'p', forked_from_id: 'zero', base_instructions: { text: 'x'.repeat(50_000) } }),
    event('task_started', { turn_id: 't' }),
    said('<environment_context>\n</environment_context>'),
    { type: 'turn_context', payload: { turn_id: 't', model: 'm' } },
    said('  Make\nit   go '),
    said('more'),
  ];
  const path = writeThread(home, 'one', lines.map((line) => lineText(line)).join(''));
  addName(home, 'one', 'The name', 0);
  const [thread] = await list(home);
  expect(thread).toEqual({
    id: 'one',
    name: 'The name',
    preview: 'Make it go',
    cwd: '/work',
    startedAt: '2026-01-02T03:04:05.000Z',
    changedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    bytes: readFileSync(path).length,
    source: 'cli',
    provider: 'p',
    model: 'm',
    forkedFrom: 'zero',
    metadata: {},
    archived: false,
    label: path,
    path,
    note: null,
  });
});

test('the newest threads come first, also across days and years', async () => {
  const home = testHome();
  for (const [id, time] of Object.entries({
    b: '2025-12-31T23-59-59',
    d: '2026-01-02T10-00-00',
    a: '2024-02-03T00-00-00',
    c: '2026-01-02T09-00-00',
  })) {
    writeThread(home, id, lineText(metaLine(id)), time);
  }
  expect(ids(await list(home))).toEqual(['d', 'c', 'b', 'a']);
});

test('damaged, empty and unreadable files are listed with a note', async () => {
  const home = testHome();
  writeThread(home, 'a', '{"oops\n', '2026-01-02T05-00-00');
  writeThread(home, 'b', '', '2026-01-02T04-00-00');
  writeThread(home, 'c', lineText({ type: 'session_meta', payload: {} }), '2026-01-02T03-00-00');
  mkdirSync(writeThread(home, 'd', '').replace('-d.jsonl', '-e.jsonl'));
  chmodSync(writeThread(home, 'f', lineText(metaLine('f')), '2026-01-02T01-00-00'), 0);
  writeThread(home, 'g', `${lineText(metaLine('g'))}{"half`, '2026-01-01T01-00-00');
  const notes = Object.fromEntries((await list(home, { cwd: '/work' })).map(({ id, note }) => [id, note]));
  expect(notes).toMatchObject({ a: expect.stringContaining('damaged'), b: 'The file is empty.', g: null });
  expect(Object.keys(notes)).toEqual(expect.arrayContaining(['c', 'd', 'e', 'f']));
});

test('files that are not rollouts are ignored', async () => {
  const home = testHome();
  const path = writeThread(home, 'a', lineText(metaLine('a')));
  writeFileSync(join(path, '..', 'notes.txt'), 'x');
  writeFileSync(`${path}.draft`, 'x');
  writeFileSync(join(home, 'sessions', '2026', 'stray'), 'x');
  expect(ids(await list(home))).toEqual(['a']);
  expect(await list(testHome())).toEqual([]);
});

test('compressed files are listed, unless the uncompressed file exists too', async () => {
  const home = testHome();
  const path = writeThread(home, 'a', lineText(metaLine('a')));
  writeFileSync(`${path}.zst`, 'x');
  const other = writeThread(home, 'b', 'x', '2026-01-01T00-00-00');
  renameSync(other, `${other}.zst`);
  const threads = await list(home);
  expect(threads.map(({ id, note, startedAt }) => [id, note, startedAt])).toEqual([
    ['a', null, '2026-01-02T03:04:05.000Z'],
    ['b', 'The file is compressed.', '2026-01-01'],
  ]);
});

test('threads can be chosen by folder, by archive and by text', async () => {
  const home = testHome();
  writeThread(home, 'a', lineText(metaLine('a')) + lineText(said('fix the Parser')), '2026-01-02T03-00-00');
  writeThread(home, 'b', lineText(metaLine('b', { cwd: '/else' })), '2026-01-02T02-00-00');
  const away = writeThread(home, 'c', lineText(metaLine('c')), '2026-01-02T01-00-00');
  mkdirSync(join(home, 'archived_sessions'));
  renameSync(away, join(home, 'archived_sessions', basename(away)));
  addName(home, 'b', 'parsed names', 0);
  expect(ids(await list(home, { cwd: '/work' }))).toEqual(['a']);
  expect(await list(home, { archived: true })).toMatchObject([{ id: 'c', archived: true }]);
  expect(ids(await list(home, { search: 'PARSE' }))).toEqual(['a', 'b']);
  expect(ids(await list(home, { search: '/else' }))).toEqual(['b']);
  expect(ids(await list(home, { limit: 1 }))).toEqual(['a']);
  expect(ids(await list(home, { limit: 0 }))).toEqual([]);
  expect(ids(await list(home, { changedSince: Date.now() + 60_000 }))).toEqual([]);
  expect(ids(await list(home, { changedSince: Date.now() - 60_000 }))).toEqual(['a', 'b']);
});

test('the preview of a compacted thread is the message of the user, which may contain an image', async () => {
  const home = testHome();
  const summary =
    'Another language model started to solve this problem and produced a summary of its thinking process.';
  const replacement_history = [summary, 'the task'].map((text) => said(text).payload);
  const compacted = { type: 'compacted', payload: { message: '', replacement_history } };
  writeThread(home, 'a', lineText(metaLine('a')) + lineText(compacted), '2026-01-02T03-00-00');
  const content = [
    { type: 'input_text', text: '<image name=[Image #1] path="/x.png">' },
    { type: 'input_image', image_url: 'data:,' },
    { type: 'input_text', text: '</image>' },
  ];
  const image = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
  const typed = {
    ...image,
    payload: { ...image.payload, content: [...content, { type: 'input_text', text: 'look' }] },
  };
  writeThread(home, 'b', lineText(metaLine('b')) + lineText(image), '2026-01-02T02-00-00');
  writeThread(home, 'c', lineText(metaLine('c')) + lineText(typed), '2026-01-02T01-00-00');
  expect((await list(home)).map(({ preview }) => preview)).toEqual(['the task', '[image]', 'look']);
});

const READ_BYTES = '/proc/self/io';

test.skipIf(!existsSync(READ_BYTES))('only the files of threads that are asked for are opened', async () => {
  const home = testHome();
  const long = lineText(metaLine('x')) + lineText(said('hello')) + lineText(said('y'.repeat(30_000)));
  for (let n = 0; n < 1000; n++)
    writeThread(home, `t${n}`, long, `2026-01-02T00-${String(n % 60).padStart(2, '0')}-00`);
  const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync(READ_BYTES, 'utf8'))?.[1]);
  const before = readBytes();
  let count = 0;
  for await (const { thread } of listThreads(home)) {
    expect(thread.note).toBeNull();
    if (++count === 20) break;
  }
  // All of them would be 60 MB.
  expect(readBytes() - before).toBeLessThan(5_000_000);
});
