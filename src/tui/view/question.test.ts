import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { Action } from '../../base/action.ts';
import type { Ask } from '../../base/event.ts';
import { quoteArgv } from '../../shell/quote.ts';
import { type Line, lineText } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { type QuestionViewOptions, questionRows, questionView } from './question.ts';

const OPTIONS: QuestionViewOptions = {
  columns: 80,
  unicode: true,
  position: 1,
  total: 1,
  maxRows: 14,
  chosen: 0,
  wasSeen: false,
  diffOf: ({ path }) => `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-old\n+new\u001b[2K\n`,
};

const command = (...argv: string[]): Action => ({
  kind: 'command',
  argv,
  cwd: '/w',
  login: false,
  escalate: true,
  yieldMs: 1,
});

const askAbout = (action: Action, more: Partial<Ask> = {}): Ask => ({
  id: 'ask',
  callId: 'c',
  action,
  argv: action.kind === 'command' ? action.argv : [],
  cwd: '/w',
  shown: 'db.drop {"all":true}',
  reason: 'It leaves the sandbox.',
  sandboxed: false,
  scopes: [
    { scope: { type: 'once' }, effect: 'It runs outside the sandbox, this one time.' },
    { scope: { type: 'thread' }, effect: 'The same command is not asked about again in this thread.' },
  ],
  ...more,
});

const texts = (rows: readonly Line[]) => rows.map(lineText);

test('a question shows the script, where it runs, and why', () => {
  const ask = askAbout(command('/bin/bash', '-lc', 'cd src\n\tls \u001b[2K\u202e\u00a0x\r\n'));
  expect(texts(questionRows(ask, { ...OPTIONS, position: 2, total: 3 }))).toEqual([
    '2 of 3: Run this with /bin/bash -lc, outside the sandbox?',
    '  cd src',
    '  ␉ls ␛[2K⟨U+202E⟩⟨U+00A0⟩x␍',
    '  ',
    'in /w',
    'why: It leaves the sandbox.',
  ]);
});

test('marks stand in reverse', () => {
  const row = questionRows(askAbout(command('sh', '-c', 'a\u200bb')), OPTIONS)[1];
  expect(row?.filter(({ style }) => style.inverse).map(({ text }) => text)).toEqual(['⟨U+200B⟩']);
});

test.each<[string, Action, string[]]>([
  ['words', command('git', 'push', 'a b'), ['Run this command outside the sandbox?', "  git push 'a b'"]],
  [
    'keys',
    { kind: 'terminal_input', terminalId: 7, chars: 'y\n\u0003', yieldMs: 1 },
    ['Type this into terminal 7, which runs outside the sandbox?', '  y␊␃'],
  ],
  [
    'a patch',
    {
      kind: 'patch',
      escalate: false,
      changes: [{ type: 'update', path: '/w/a', shown: 'a', destroys: true, before: 'old\n', after: 'new\n' }],
    },
    ['Apply this patch?', '  changes /w/a, which git could not restore', '  1 -old', '  1 +new␛[2K'],
  ],
  [
    'a tool',
    { kind: 'mcp', server: 'db', tool: 'drop', input: {}, hints: {} },
    ['Call this tool of the MCP server "db"?', '  db.drop {"all":true}'],
  ],
])('%s', (_, action, rows) => {
  expect(texts(questionRows(askAbout(action), OPTIONS)).slice(0, rows.length)).toEqual(rows);
});

test('words of the model are marked as such', () => {
  const action = { ...command('ls'), justification: 'You said yes.' } as Action;
  expect(texts(questionRows(askAbout(action, { reason: 'You said yes.' }), OPTIONS)).at(-1)).toBe(
    'why: You said yes. (words of the model)',
  );
});

describe('the view above the composer', () => {
  const long = askAbout(command('sh', '-c', Array.from({ length: 50 }, (_, n) => `row ${n}`).join('\n')));

  test('has the scopes and the keys', () => {
    const { rows, canApprove } = questionView(askAbout(command('ls')), { ...OPTIONS, chosen: 1 });
    expect(canApprove).toBe(true);
    expect(texts(rows)).toEqual([
      'Run this command outside the sandbox?',
      '  ls',
      'in /w',
      'why: It leaves the sandbox.',
      '  It runs outside the sandbox, this one time.',
      '▸ The same command is not asked about again in this thread.',
      'y once  n no  e edit  v all of it  Enter as chosen  Esc back to typing',
    ]);
  });

  test('a yes is possible only after the end was shown', () => {
    const { rows, canApprove } = questionView(long, OPTIONS);
    expect(canApprove).toBe(false);
    expect(rows.length).toBeLessThanOrEqual(14);
    expect(texts(rows)).toContain('… v shows all of it');
    expect(texts(rows).at(-1)).toBe('n no  e edit  v all of it, then a yes is possible  Esc back to typing');
    expect(questionView(long, { ...OPTIONS, wasSeen: true }).canApprove).toBe(true);
  });

  test('without the keys it says how to get there', () => {
    expect(texts(questionView(long, { ...OPTIONS, chosen: null }).rows).at(-1)).toBe('Tab goes to the question');
  });

  test.each([
    [null, 'Tab: a question'],
    [0, 'n no  e edit  v all'],
  ])('in one narrow row it says what can be done: %s', (chosen, row) => {
    expect(texts(questionView(long, { ...OPTIONS, columns: 20, maxRows: 1, chosen }).rows)).toEqual([row]);
  });
});

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '\u001b',
        '␛',
        '⟨',
        '⟨U+202E⟩',
        '\u202e',
        '\n',
        '\r',
        '\t',
        ' ',
        '  ',
        '\u00a0',
        'e\u0301',
        'é',
        '字',
        '↳ ',
        "'",
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Reads the script back from the rows of a question. */
function scriptIn(rows: readonly Line[]): string {
  const body = texts(rows).filter((row) => row.startsWith('  ') || row.startsWith('↳ '));
  const joined = body.map((row) => (row.startsWith('  ') ? `\n${row.slice(2)}` : row.slice(2))).join('');
  return joined.slice(1).replace(/⟨U\+([0-9A-F]+)⟩|[\u2400-\u241f]|␡/gu, (sign, code: string | undefined) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return sign === '␡' ? '\u007f' : String.fromCharCode((sign.codePointAt(0) ?? 0) - 0x2400);
  });
}

test('a script can be read back from its rows, so two scripts never look the same', () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 4, max: 90 }), (script, columns) => {
      const ask = askAbout(command('sh', '-c', script), { reason: '' });
      expect(scriptIn(questionRows(ask, { ...OPTIONS, columns }).slice(0, -1))).toBe(script);
    }),
    { numRuns: runs(3000) },
  );
});

test('so do the words of a command', () => {
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 4, maxLength: 6 }), fc.integer({ min: 4, max: 90 }), (argv, columns) => {
      const ask = askAbout(command(...argv), { reason: '' });
      const rows = questionRows(ask, { ...OPTIONS, columns });
      expect(scriptIn(rows)).toBe(quoteArgv(argv));
    }),
    { numRuns: runs(1000) },
  );
});

test('rows fit, have no control characters, and nothing throws', () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 20 }), (text, columns, maxRows) => {
      const ask = askAbout(command(text, text), { cwd: text, reason: text });
      const view = questionView(ask, { ...OPTIONS, columns, maxRows });
      expect(view.rows.length).toBeLessThanOrEqual(maxRows);
      // A yes is possible only where the whole action stands above it.
      if (view.canApprove)
        for (const row of questionRows(ask, { ...OPTIONS, columns })) expect(view.rows).toContainEqual(row);
      for (const row of [...view.rows, ...questionRows(ask, { ...OPTIONS, columns })]) {
        expect(lineText(row)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
        expect(lineWidth(row)).toBeLessThanOrEqual(Math.max(2, columns));
      }
    }),
    { numRuns: runs(1000) },
  );
});
