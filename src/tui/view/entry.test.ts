import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Ask, CommandItem, FileChangeItem, ThreadItem, ToolCallItem } from '../../base/event.ts';
import { renderBlock } from '../../markdown/render-block.ts';
import { lineText } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { type Entry, entryRows, isApart, renderEntry } from './entry.ts';
import type { ViewOptions } from './view-options.ts';

const WIDE: ViewOptions = {
  columns: 80,
  cwd: '/w',
  wrap: 'words',
  unicode: true,
  hyperlinks: true,
  attributes: true,
  renderBlock,
};

const shown = (entry: Entry, more: Partial<ViewOptions> = {}) => renderEntry(entry, { ...WIDE, ...more }).map(lineText);
const item = (value: ThreadItem): Entry => ({ kind: 'item', item: value });
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

const COMMAND: CommandItem = {
  type: 'command',
  id: 'c',
  argv: ['/bin/bash', '-lc', 'npm test'],
  cwd: '/w',
  output: '',
  exitCode: 0,
  durationMs: 20,
  status: 'completed',
};

const PATCH: FileChangeItem = {
  type: 'file_change',
  id: 'p',
  status: 'completed',
  changes: [{ kind: 'update', path: '/w/a.ts', diff: '--- a\n+++ b\n@@ -1,2 +1,3 @@\n one\n-two\n+deux\n+trois\n' }],
};

const CALL: ToolCallItem = {
  type: 'tool_call',
  id: 't',
  name: 'mcp__db__query',
  arguments: '{"sql":"select 1"}',
  output: 'Wall time: 0.1 seconds\nOutput:\na\nb\n',
  status: 'completed',
  durationMs: 100,
  failure: null,
  mcp: { server: 'db', tool: 'query' },
};

const ASK: Ask = {
  id: 'a',
  callId: 'c',
  action: { kind: 'command', argv: ['git', 'push'], cwd: '/w', login: false, escalate: true, yieldMs: 1 },
  argv: ['git', 'push'],
  cwd: '/w',
  shown: 'git push',
  reason: '',
  sandboxed: false,
  scopes: [],
};

test.each<[string, Entry, string[]]>([
  ['input', { kind: 'user', text: 'fix it\nplease', images: 0, how: 'sent' }, ['› fix it', '  please']],
  ['steered', { kind: 'user', text: 'stop', images: 2, how: 'steered' }, ['› stop [2 images] (steered)']],
  ['an image alone', { kind: 'user', text: '', images: 1, how: 'sent' }, ['› [1 image]']],
  ['Markdown', { kind: 'markdown', block: { source: 'a *b*\nc\n', isApart: false }, isFirst: true }, ['a b c']],
  ['code', { kind: 'code', line: [{ text: 'x'.repeat(99), style: {} }], isApart: false }, ['x'.repeat(99)]],
  ['a heading', { kind: 'reasoning', text: '**Looking**\n\nLong text.' }, ['Looking … Ctrl-T']],
  ['first words', { kind: 'reasoning', text: 'One line' }, ['One line']],
  ['empty reasoning', { kind: 'reasoning', text: ' \n' }, []],
  ['a command', item(COMMAND), ['$ npm test']],
  ['of the user', item({ ...COMMAND, by: 'user' }), ['! npm test']],
  ['words', item({ ...COMMAND, argv: ['ls', 'a b'] }), ["$ ls 'a b'"]],
  [
    'a script',
    item({ ...COMMAND, argv: ['bash', '-c', lines(9)] }),
    ['$ line 1', '  line 2', '  line 3', '  line 4', '  line 5', '  line 6', '… 3 lines, Ctrl-O'],
  ],
  ['its output', item({ ...COMMAND, output: lines(7) }), ['$ npm test', ...lines(7).trimEnd().split('\n')]],
  [
    'a long output',
    item({ ...COMMAND, output: lines(418), durationMs: 2345 }),
    ['$ npm test', 'line 1', 'line 2', 'line 3', '… 412 lines, Ctrl-O', 'line 416', 'line 417', 'line 418', '2.3 s'],
  ],
  [
    'a very long output',
    item({ ...COMMAND, output: lines(20_000) }),
    ['$ npm test', 'line 1', 'line 2', 'line 3', '… 19,994 lines, Ctrl-O', 'line 19998', 'line 19999', 'line 20000'],
  ],
  ['a bar of progress', item({ ...COMMAND, output: '10%\r20%\r\ndone\r\n' }), ['$ npm test', '20%', 'done']],
  [
    'a failure',
    item({ ...COMMAND, status: 'failed', exitCode: 2, output: 'no\n', durationMs: 61_000 }),
    ['$ npm test', 'no', 'exit 2, 1 min 1 s'],
  ],
  [
    'a refusal',
    item({
      ...COMMAND,
      status: 'declined',
      exitCode: null,
      reason: { cause: 'rule', message: 'A rule forbids it.\nx' },
    }),
    ['$ npm test', 'not run: A rule forbids it.'],
  ],
  ['a patch', item(PATCH), ['+2 −1 a.ts', '1  one', '2 -two', '2 +deux', '3 +trois']],
  [
    'a patch that failed',
    item({ ...PATCH, status: 'failed', reason: { cause: 'other', message: 'no such line' } }),
    ['a.ts', '1  one', '2 -two', '2 +deux', '3 +trois', 'failed: no such line'],
  ],
  [
    'files that come, go and move',
    item({
      ...PATCH,
      changes: [
        { kind: 'add', path: '/w/n', diff: '@@ -0,0 +1 @@\n+x\n' },
        { kind: 'delete', path: '/o', diff: '@@ -1 +0,0 @@\n-x\n' },
        { kind: 'update', path: '/w/f', to: '/w/t', diff: '' },
      ],
    }),
    ['+1 −0 n (new)', '1 +x', '+0 −1 /o (deleted)', '1 -x', '+0 −0 f → t (moved)'],
  ],
  [
    'a plan',
    item({
      type: 'plan',
      id: 'p',
      explanation: null,
      steps: [
        { step: 'one', status: 'completed' },
        { step: 'two', status: 'in_progress' },
        { step: 'three', status: 'pending' },
      ],
    }),
    ['✓ one', '▸ two', '○ three'],
  ],
  ['a search', item({ type: 'web_search', id: 's', query: 'cats', status: 'completed' }), ['searched the web: cats']],
  ['a call', item(CALL), ['db.query({"sql":"select 1"})', 'a', 'b']],
  [
    'a call that failed',
    item({ ...CALL, status: 'failed', output: 'no table\nx' }),
    ['db.query({"sql":"select 1"})', 'failed: no table'],
  ],
  [
    'a long result',
    item({ ...CALL, output: lines(9) }),
    ['db.query({"sql":"select 1"})', 'line 1', 'line 2', 'line 3', '… 6 lines, Ctrl-O'],
  ],
  [
    'a repair',
    { kind: 'repair', repair: { id: 'A1', title: 'finish reason', frame: 1, callId: null, before: 'stop', after: '' } },
    ['repair A1: finish reason (stop -> nothing)'],
  ],
  ['a warning', { kind: 'notice', tone: 'warning', text: 'low' }, ['warning: low']],
  ['a yes', { kind: 'answered', ask: ASK, given: { answer: 'approved' } }, ['approved once: $ git push']],
  [
    'a no',
    { kind: 'answered', ask: ASK, given: { answer: 'denied', message: 'not now' } },
    ['declined: $ git push (not now)'],
  ],
  [
    'a wider yes',
    {
      kind: 'answered',
      ask: ASK,
      given: { answer: 'approved', scope: { type: 'prefix', prefix: ['git'], lasts: 'project' } },
    },
    ['approved in this project (git): $ git push'],
  ],
])('%s', (_, entry, rows) => {
  expect(shown(entry)).toEqual(rows);
});

describe('widths', () => {
  const text = '日本語のテキスト、そして emoji 👩‍👩‍👧 with some more words';
  test.each<[number, string[]]>([
    [20, ['› 日本語のテキスト、', '  そして emoji 👩‍👩‍👧', '  with some more', '  words']],
    [80, ['› 日本語のテキスト、そして emoji 👩‍👩‍👧 with some more words']],
    [200, ['› 日本語のテキスト、そして emoji 👩‍👩‍👧 with some more words']],
  ])('input in %d columns', (columns, rows) => {
    expect(shown({ kind: 'user', text, images: 0, how: 'sent' }, { columns })).toEqual(rows);
  });

  test('a command is not wrapped', () => {
    const entry = item({ ...COMMAND, argv: ['sh', '-c', `echo ${text}`] });
    for (const columns of [20, 80, 200]) expect(shown(entry, { columns })).toEqual([`$ echo ${text}`]);
  });

  test('the terminal may wrap prose too', () => {
    const entry: Entry = { kind: 'markdown', block: { source: text.repeat(3), isApart: false }, isFirst: true };
    expect(shown(entry, { columns: 20, wrap: 'terminal' })).toEqual([text.repeat(3)]);
  });
});

test('a large patch is folded', () => {
  const added = Array.from({ length: 160 }, (_, n) => `+${n}\n`).join('');
  const rows = shown(item({ ...PATCH, changes: [{ kind: 'add', path: '/w/a', diff: `@@ -0,0 +1,160 @@\n${added}` }] }));
  expect(rows).toHaveLength(42);
  expect(rows.at(-1)).toBe('… 120 rows, Ctrl-O');
});

test('signs in ASCII', () => {
  const steps = [
    { step: 'one', status: 'completed' },
    { step: 'two', status: 'in_progress' },
  ] as const;
  expect(shown(item({ type: 'plan', id: 'p', explanation: 'why', steps }), { unicode: false })).toEqual([
    'why',
    '[x] one',
    '[>] two',
  ]);
  expect(shown(item(PATCH), { unicode: false })[0]).toBe('+2 -1 a.ts');
});

test('colours of an output are kept', () => {
  const rows = renderEntry(item({ ...COMMAND, output: '\u001b[31mred\u001b[0m plain\u001b[2K\n' }), WIDE);
  expect(rows[1]).toEqual([
    { text: 'red', style: { color: 1 } },
    { text: ' plain', style: { color: 'muted' } },
  ]);
});

test('Markdown is text until its renderer is loaded', () => {
  const { renderBlock: _, ...options } = WIDE;
  const entry: Entry = { kind: 'markdown', block: { source: '**a** b\n- c\n', isApart: false }, isFirst: true };
  expect(renderEntry(entry, options).map(lineText)).toEqual(['**a** b', '- c']);
});

test('entries stand apart where their kinds change', () => {
  const block = (source: string, isApartBefore: boolean, isFirst = false): Entry => ({
    kind: 'markdown',
    block: { source, isApart: isApartBefore },
    isFirst,
  });
  const entries: Entry[] = [
    { kind: 'user', text: 'hi', images: 0, how: 'sent' },
    { kind: 'reasoning', text: 'thinking' },
    item({ type: 'web_search', id: 's', query: 'q', status: 'completed' }),
    block('[x]: http://y', true, true),
    block('- a', false, true),
    block('- b', false),
    { kind: 'code', line: [{ text: '```', style: {} }], isApart: true },
    { kind: 'code', line: [{ text: 'x', style: {} }], isApart: false },
    { kind: 'answered', ask: ASK, given: { answer: 'approved' } },
    item(COMMAND),
    item(COMMAND),
    block('done', false, true),
  ];
  expect(entryRows(null, entries, WIDE).map(lineText)).toEqual([
    ...['› hi', '', 'thinking', 'searched the web: q', '', '- a', '- b', '', '```', 'x', ''],
    ...['approved once: $ git push', '$ npm test', '', '$ npm test', '', 'done'],
  ]);
  expect(isApart(null, block('x', true))).toBe(false);
});

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '\u001b[2K',
        '\u001b]0;t\u0007',
        '\r',
        '\n',
        '\t',
        '‮',
        '​',
        '字',
        '👩‍👩‍👧',
        '\u009b1m',
        'word ',
        '**',
        '`',
        '\ud800',
      ),
    )
    .map((parts) => parts.join('')),
);

const anyEntry: fc.Arbitrary<Entry> = nasty.chain((text) =>
  fc.constantFrom<Entry>(
    { kind: 'user', text, images: 1, how: 'steered' },
    { kind: 'markdown', block: { source: text, isApart: true }, isFirst: false },
    { kind: 'reasoning', text },
    item({ ...COMMAND, argv: ['sh', '-c', text], output: text }),
    item({ ...COMMAND, argv: [text, text], status: 'declined', reason: { cause: 'other', message: text } }),
    item({ ...PATCH, changes: [{ kind: 'update', path: text, to: text, diff: `@@ -1 +1 @@\n+${text}` }] }),
    item({ ...PATCH, status: 'declined', reason: { cause: 'other', message: text } }),
    item({ type: 'plan', id: 'p', explanation: text, steps: [{ step: text, status: 'in_progress' }] }),
    item({ type: 'web_search', id: 's', query: text, status: 'failed' }),
    item({ ...CALL, arguments: text, output: text, mcp: { server: text, tool: text } }),
    item({ ...CALL, arguments: text, output: text, status: 'failed' }),
    { kind: 'repair', repair: { id: 'A1', title: text, frame: null, callId: null, before: text, after: text } },
    { kind: 'notice', tone: 'error', text },
    {
      kind: 'answered',
      ask: { ...ASK, action: { ...ASK.action, argv: [text] } as never },
      given: { answer: 'denied', message: text },
    },
  ),
);

const WRAPPED: ReadonlySet<string> = new Set([
  'user',
  'reasoning',
  'repair',
  'notice',
  'answered',
  'plan',
  'web_search',
]);

test('no row has a control character, and prose fits', () => {
  fc.assert(
    fc.property(anyEntry, fc.integer({ min: 1, max: 120 }), fc.boolean(), (entry, columns, unicode) => {
      const rows = renderEntry(entry, { ...WIDE, columns, unicode });
      for (const row of rows) expect(lineText(row)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
      const kind = entry.kind === 'item' ? entry.item.type : entry.kind;
      // A wide character needs two columns.
      if (WRAPPED.has(kind)) for (const row of rows) expect(lineWidth(row)).toBeLessThanOrEqual(Math.max(2, columns));
    }),
    { numRuns: runs(2000) },
  );
});
