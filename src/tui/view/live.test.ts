import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { PlanStep } from '../../base/action.ts';
import type { ToolCallItem } from '../../base/event.ts';
import { EMPTY_MARKDOWN, openBlock, pushMarkdown } from '../../markdown/push-markdown.ts';
import { renderBlock } from '../../markdown/render-block.ts';
import { type Line, lineText } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { liveAnswer } from './live-answer.ts';
import { liveCall } from './live-call.ts';
import { liveCommand, type RunningCommand } from './live-command.ts';
import { livePlan } from './live-plan.ts';
import { reasoningRows } from './reasoning-rows.ts';
import { type StatusData, statusLine, workLine } from './status-line.ts';
import type { ViewOptions } from './view-options.ts';

const OPTIONS: ViewOptions = {
  columns: 80,
  cwd: '/w',
  wrap: 'words',
  unicode: true,
  hyperlinks: false,
  attributes: true,
  renderBlock,
};

const texts = (rows: readonly Line[]) => rows.map(lineText);
const open = (text: string) => openBlock(pushMarkdown(EMPTY_MARKDOWN, text).state);

const COMMAND: RunningCommand = {
  argv: ['bash', '-lc', 'npm test'],
  output: '1\n2\n3\n4\n5\n6\n7\n',
  elapsedMs: 12_700,
};

const CALL: ToolCallItem = {
  type: 'tool_call',
  id: 't',
  name: 'query',
  arguments: '{}',
  output: null,
  status: 'running',
  durationMs: null,
  failure: null,
};

describe('a running command', () => {
  test('shows the last rows of its output', () => {
    expect(texts(liveCommand(COMMAND, OPTIONS, 10))).toEqual(['$ npm test · 12 s', '3', '4', '5', '6', '7']);
    expect(texts(liveCommand(COMMAND, OPTIONS, 3))).toEqual(['$ npm test · 12 s', '6', '7']);
  });

  test('is cut to the terminal', () => {
    const wide = { ...COMMAND, argv: ['echo', '日本語の長いテキスト'], output: `${'字'.repeat(30)}\n` };
    expect(texts(liveCommand(wide, { ...OPTIONS, columns: 20 }, 9))).toEqual([
      "$ echo '日本… · 12 s",
      '字字字字字字字字字…',
    ]);
    expect(texts(liveCommand({ ...COMMAND, argv: ['sh', '-c', 'a\nb'], elapsedMs: 0 }, OPTIONS, 1))).toEqual(['$ a …']);
  });
});

describe('an open answer', () => {
  test.each<[string, string, number, string[]]>([
    ['the last rows of prose', 'one two three four five', 2, ['three four', 'five']],
    ['a list', 'x\n\n1. a\n1. b', 2, ['1. a', '2. b']],
    ['a line of code', '```js\nconst a = 1;\ncon', 2, ['con']],
    ['nothing of a fence', '```js\n', 2, []],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3', 9, ['a  b', '─  ─', '1  2', '3']],
    ['no heading for a moment', 'one\n-', 2, ['one']],
    ['nothing', '', 2, []],
  ])('%s', (_, text, most, rows) => {
    expect(texts(liveAnswer(open(text), { ...OPTIONS, columns: 12 }, most))).toEqual(rows);
  });
});

test('open reasoning is its last heading', () => {
  expect(texts(reasoningRows('**One**\n\nwords\n\n**Two**\n\nmore', OPTIONS, 'last'))).toEqual(['Two']);
});

test('a running call', () => {
  expect(texts(liveCall({ item: CALL, elapsedMs: 3000, progress: 'a\nhalf' }, OPTIONS, 5))).toEqual([
    'query() · 3 s',
    'half',
  ]);
});

describe('a plan', () => {
  const steps = (done: number, pending: number): PlanStep[] => [
    ...Array.from({ length: done }, (_, n) => ({ step: `done ${n}`, status: 'completed' }) as const),
    { step: 'now', status: 'in_progress' },
    ...Array.from({ length: pending }, (_, n) => ({ step: `then ${n}`, status: 'pending' }) as const),
  ];

  test('is whole when it is short, else its open steps', () => {
    expect(texts(livePlan({ steps: steps(1, 1) }, OPTIONS, 9))).toEqual(['✓ done 0', '▸ now', '○ then 0']);
    expect(texts(livePlan({ steps: steps(5, 2) }, OPTIONS, 9))).toEqual(['▸ now', '○ then 0', '○ then 1', '… 5 done']);
    expect(texts(livePlan({ steps: steps(2, 9) }, OPTIONS, 9))).toEqual([
      ...['▸ now', '○ then 0', '○ then 1', '○ then 2', '○ then 3', '… 2 done, 5 more'],
    ]);
  });
});

describe('the status line', () => {
  const DATA: StatusData = {
    model: 'gpt-5',
    effort: 'high',
    approval: 'on-request',
    sandbox: 'workspace-write',
    isUnguarded: false,
    branch: 'main',
    contextLeft: 62.4,
    tokens: 12_345,
    cost: 0.1234,
    waiting: 1,
    terminals: 2,
  };

  test.each<[number, string]>([
    [3, 'gp…'],
    [20, 'gpt-5 high'],
    [60, 'gpt-5 high · on-request, workspace-write · main · 62% left'],
    [
      200,
      'gpt-5 high · on-request, workspace-write · main · 62% left · 12k tokens · $0.1234 · waiting 1 · terminals 2',
    ],
  ])('in %d columns', (columns, text) => {
    expect(lineText(statusLine(DATA, { columns, unicode: true }))).toBe(text);
  });

  test('settings that are not known yet are not shown', () => {
    const unknown = { ...DATA, model: 'starting', effort: null, approval: '', sandbox: '', branch: null };
    expect(lineText(statusLine({ ...unknown, contextLeft: null, tokens: null, cost: null }, OPTIONS))).toMatch(
      /^starting( · (waiting|terminals) \d+)*$/,
    );
  });

  test('warns where nothing guards', () => {
    const line = statusLine({ ...DATA, sandbox: 'no sandbox', isUnguarded: true }, OPTIONS);
    expect(line[2]).toMatchObject({ text: 'on-request, no sandbox', style: { color: 'error' } });
  });

  test('work', () => {
    expect(lineText(workLine(12_900, '', OPTIONS))).toBe('working 12 s · Esc interrupts');
  });
});

const nasty = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('\u001b[2K', '\r', '\n', '| a | b |\n|---|---|\n', '- ', '```\n', '字', '👩‍👩‍👧', '‮'),
    ),
  )
  .map((parts) => parts.join(''));

test('live rows fit, have no control characters, and nothing throws', () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 12 }), (text, columns, most) => {
      const options = { ...OPTIONS, columns };
      const pieces = [
        liveCommand({ argv: ['sh', '-c', text], output: text, elapsedMs: 5000 }, options, most),
        liveAnswer(open(text), options, most),
        liveCall({ item: { ...CALL, arguments: text }, elapsedMs: 5000, progress: text }, options, most),
        livePlan({ steps: Array.from({ length: 9 }, () => ({ step: text, status: 'pending' })) }, options, most),
      ];
      if (most > 0) pieces.push(reasoningRows(text, options, 'last'));
      for (const rows of pieces) {
        expect(rows.length).toBeLessThanOrEqual(most);
        for (const row of rows) {
          expect(lineText(row)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
          expect(lineWidth(row)).toBeLessThanOrEqual(columns);
        }
      }
    }),
    { numRuns: runs(2000) },
  );
});
