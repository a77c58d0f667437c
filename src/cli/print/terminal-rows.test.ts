import { expect, test } from 'vitest';
import type { Event, EventBody, FileChangeItem } from '../../base/event.ts';
import { createHumanPrinter } from './human.ts';
import { createStyle } from './style.ts';
import { createTerminalRows, readTerminalLook } from './terminal-rows.ts';

const rows = (columns: number) => createTerminalRows({ depth: '16', links: false, columns: () => columns });
const plain = createTerminalRows({ depth: 'none', links: false, columns: () => 40 });
const style = createStyle(true);

test('texts are wrapped at words, with their colours and below their words', () => {
  const { wrap } = rows(12);
  expect(wrap('one two three')).toBe('one two\nthree');
  expect(wrap(`\n${style.dim('one two three')}`)).toBe('\n\u001b[2mone two\u001b[0m\n\u001b[2mthree\u001b[0m');
  expect(wrap('  one two three')).toBe('  one two\n  three');
  expect(wrap('  [x] one two')).toBe('  [x] one\n      two');
  expect(wrap('> one two three\n> four')).toBe('> one two\n  three\n> four');
  expect(wrap('a\tb')).toBe('a   b');
});

test('events wait for the renderer of messages from the first text on', async () => {
  const printed: string[] = [];
  const { print, settled } = rows(40).whenLoaded(({ type }) => printed.push(type));
  const send = (body: EventBody) => print({ v: 1, seq: 1, threadId: 'T', turnId: 'U', ...body } as Event);
  send({ type: 'turn.started' });
  expect(printed).toEqual(['turn.started']);
  await settled();
  send({ type: 'text.delta', itemId: 'm', delta: 'x' });
  send({ type: 'item.completed', item: { type: 'agent_message', id: 'm', text: 'x' } });
  expect(printed).toEqual(['turn.started']);
  await settled();
  expect(printed).toEqual(['turn.started', 'text.delta', 'item.completed']);
  send({ type: 'turn.started' });
  expect(printed).toHaveLength(4);
});

test('a message is shown as text before the renderer is there, and then as Markdown', async () => {
  const shown = rows(40);
  expect(shown.message('**a** \u001b[2Jb')).toBe('**a** b');
  const { print, settled } = shown.whenLoaded(() => undefined);
  print({ v: 1, seq: 1, threadId: 'T', turnId: 'U', type: 'text.delta', itemId: 'm', delta: 'x' });
  await settled();
  expect(shown.message('**a** \u001b[2Jb')).toBe('\u001b[1ma\u001b[0m \\u{1B}[2Jb');
});

test('a message is shown block by block as it arrives, with the rows of the whole message', async () => {
  const shown = rows(20);
  const loading = shown.whenLoaded(() => undefined);
  loading.print({ v: 1, seq: 1, threadId: 'T', turnId: 'U', type: 'text.delta', itemId: 'm', delta: 'x' });
  await loading.settled();
  const text = '# Title\nOne two three four five.\n\n- a\n- b\n\n```\ncode\n```\nThe end.';
  const printed: string[] = [];
  const print = createHumanPrinter((part) => printed.push(part), { style, live: false, rows: shown });
  const send = (body: EventBody) => print({ v: 1, seq: 1, threadId: 'T', turnId: 'U', ...body } as Event);
  for (const delta of text.match(/[\s\S]{1,3}/g) ?? []) send({ type: 'text.delta', itemId: 'm', delta });
  const early = printed.join('');
  expect(early).toContain('three');
  expect(early).not.toContain('The end');
  send({ type: 'repair', id: 'A1', title: 'was wrong', frame: 1, callId: null, before: 'a', after: 'b' });
  expect(printed.join('')).toBe(early);
  send({ type: 'item.completed', item: { type: 'agent_message', id: 'm', text } });
  expect(printed.join('')).toBe(
    `\n${shown.message(text)}\n${shown.wrap(style.dim('repair A1: was wrong (a -> b)'))}\n`,
  );
});

const change = {
  kind: 'update',
  path: '/w/a.txt',
  diff: '--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n',
} as const;
const item = (more: Partial<FileChangeItem>): FileChangeItem => ({
  type: 'file_change',
  id: 'c',
  changes: [change],
  status: 'completed',
  ...more,
});

test('a patch has numbers and counts', () => {
  const moved = { ...change, to: '/w/b.txt', diff: '' };
  expect(plain.patch(item({ changes: [change, moved] }), { style, folder: '/w' }).split('\n')).toEqual([
    'M a.txt (+1 -1)',
    '  1  one',
    '  2 -two',
    '  2 +zwei',
    'M a.txt -> b.txt (+0 -0)',
  ]);
});

test('a patch that was not applied has no colours of changes and says why', () => {
  const text = rows(40).patch(item({ status: 'failed' }), {
    style,
    folder: '/w',
    reason: 'the sandbox is read-only, so nothing was written',
  });
  expect(text.replaceAll('\u001b', '^').split('\n')).toEqual([
    '^[2ma.txt (not applied)^[0m',
    '^[2m  1  one^[0m',
    '^[2m  2 -two^[0m',
    '^[2m  2 +zwei^[0m',
    '^[31m  not applied: the sandbox is read-only,^[0m',
    '  ^[31mso nothing was written^[0m',
  ]);
});

test('long patches are cut, their counts are not', () => {
  const long = { ...change, diff: `@@ -0,0 +1,100 @@\n${'+x\n'.repeat(100)}` };
  const lines = plain.patch(item({ changes: Array.from({ length: 25 }, () => long) }), { style }).split('\n');
  expect(lines).toContain('M /w/a.txt (+100 -0)');
  expect(lines).toContain('  … 60 more lines');
  expect(lines.at(-1)).toBe('… 5 more files');
});

test.each([
  [true, { TERM: 'xterm' }, { depth: '16', links: false }],
  [true, { TERM: 'xterm-256color' }, { depth: '256', links: false }],
  [true, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, { depth: 'true', links: false }],
  [true, { TERM: 'xterm-kitty' }, { depth: '16', links: true }],
  [true, { TERM: 'xterm-256color', VTE_VERSION: '7006' }, { depth: '256', links: true }],
  [true, { TERM: 'tmux-256color', TMUX: 'x', TERM_PROGRAM: 'WezTerm' }, { depth: '256', links: false }],
  [false, { TERM: 'xterm-kitty' }, { depth: 'none', links: false }],
])('colours %s in %j', (colored, env, look) => {
  expect(readTerminalLook(colored, env)).toEqual(look);
});
