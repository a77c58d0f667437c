import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { CommandItem } from '../../base/event.ts';
import { renderBlock } from '../../markdown/render-block.ts';
import { lineText, span } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { entryBlocks, type PagerLook } from './entry-blocks.ts';
import { appendBlocks, openPager, type Pager, prependBlocks } from './pager.ts';
import { createPagerBlock, type PagerBlock, textBlocks } from './pager-block.ts';
import { pagerCaret, pagerRows } from './pager-rows.ts';
import { type PagerKey, updatePager } from './update-pager.ts';

const SIZE = { columns: 40, rows: 6 };

const block = (key: string, ...lines: string[]): PagerBlock =>
  createPagerBlock({ key, make: () => lines.map((line) => [span(line)]), text: () => lines.join('\n') });

const NAMED = ['up', 'down', 'page_up', 'page_down', 'home', 'end', 'enter', 'escape', 'backspace'];
const key = (name: string): PagerKey => {
  if (name.startsWith('ctrl-')) return { name: name.slice(5), text: '', ctrl: true, alt: false };
  if (NAMED.includes(name)) return { name, text: '', ctrl: false, alt: false };
  return { name: 'text', text: name, ctrl: false, alt: false };
};

const press = (pager: Pager, names: readonly string[], size = SIZE): Pager =>
  names.reduce((before, name) => updatePager(before, key(name), size).pager, pager);

const page = (pager: Pager, size = SIZE) => pagerRows(pager, size).slice(0, -1).map(lineText);
const status = (pager: Pager, size = SIZE) => lineText(pagerRows(pager, size).at(-1) ?? []);

const open = (blocks: readonly PagerBlock[], from: 'start' | 'end' = 'start') =>
  openPager({ title: 'Doc', blocks, hasBefore: false, from });

/** Ten blocks of two rows, and an empty one among them. */
const TEN = Array.from({ length: 10 }, (_, n) => block(`${n}`, `row ${2 * n}`, `row ${2 * n + 1}`)).toSpliced(
  4,
  0,
  block('e'),
);
const rows = (from: number) => Array.from({ length: 5 }, (_, n) => `row ${from + n}`);

test.each(['valueOf', 'constructor', '__proto__'])('the text %s moves nothing', (text) => {
  const pager = open(TEN);
  const { pager: after, request } = updatePager(pager, key(text), SIZE);
  expect(page(after)).toEqual(rows(0));
  expect(request).toBe(null);
});

test.each<[string[], number]>([
  [[], 0],
  [['down'], 1],
  [['j', 'j', 'k'], 1],
  [['page_down'], 4],
  [[' ', 'b'], 0],
  [['d'], 2],
  [['ctrl-d', 'ctrl-d', 'ctrl-u'], 2],
  [['end'], 15],
  [['G', 'down'], 15],
  [['G', 'up'], 14],
  [['G', 'page_up', 'page_up'], 7],
  [['G', 'home'], 0],
  [['up'], 0],
])('after %j the page begins at row %d', (names, top) => {
  expect(page(press(open(TEN), names))).toEqual(rows(top));
});

test('the status has the title, the place and the keys', () => {
  expect(status(open(TEN))).toMatch(/^Doc {2}\d+% {2}\/ search {2}c copy/);
  expect(status(press(open(TEN), ['G']))).toContain('100%');
});

test('a short document fills the page with blank rows', () => {
  expect(page(open([block('a', 'x')]))).toEqual(['x', '', '', '', '']);
  expect(pagerRows(open([]), SIZE)).toHaveLength(6);
});

test('a page at the end follows what is added, another one stays', () => {
  const added = [block('n', 'new')];
  expect(page(appendBlocks(open(TEN, 'end'), added)).at(-1)).toBe('new');
  expect(page(appendBlocks(press(open(TEN, 'end'), ['up']), added))).toEqual(rows(14));
});

describe('earlier blocks', () => {
  const late = openPager({ title: 'Doc', blocks: TEN, hasBefore: true, from: 'start' });

  test('are wanted near the start, and do not move the page', () => {
    expect(late.wantsBefore).toBe(false);
    expect(press(late, ['G', 'up']).wantsBefore).toBe(false);
    const near = press(late, ['down', 'up', 'down']);
    expect(near.wantsBefore).toBe(true);
    const more = prependBlocks(near, [block('x', 'before')], false);
    expect(more.wantsBefore).toBe(false);
    expect(page(more)).toEqual(rows(1));
    expect(page(press(more, ['home']))[0]).toBe('before');
  });

  test('are wanted when a search finds nothing', () => {
    expect(press(late, ['/', 'z', 'enter'])).toMatchObject({ wantsBefore: true });
  });
});

describe('search', () => {
  const find = (text: string) => ['/', ...text, 'enter'];

  test('goes to the next and the previous match, and begins anew', () => {
    const found = press(open(TEN), find('ROW 1'.toLowerCase()));
    expect(page(found)).toContain('row 1');
    expect(found.search.found).toEqual({ block: 0, row: 1 });
    const next = press(found, ['n']);
    expect(page(next)).toContain('row 10');
    expect(press(next, ['N']).search.found).toEqual({ block: 0, row: 1 });
    const around = press(next, Array(10).fill('n'));
    expect(around).toMatchObject({ note: 'from the start', search: { found: { block: 0, row: 1 } } });
    expect(press(found, ['N'])).toMatchObject({ note: 'from the end', search: { found: { block: 10, row: 1 } } });
  });

  test('capital letters count if there are some', () => {
    expect(press(open(TEN), find('ROW'))).toMatchObject({ note: 'not found', search: { found: null } });
  });

  test('signs are no pattern', () => {
    const pager = press(open([block('a', 'x', 'a.*(b'), ...TEN]), find('.*('));
    expect(pager.search.found).toEqual({ block: 0, row: 1 });
  });

  test('marks matches, also over a change of style', () => {
    const styled = createPagerBlock({
      key: 's',
      text: () => '',
      make: () => [[span('ab', { bold: true }), span('cd ab')]],
    });
    expect(pagerRows(press(open([styled]), find('bc')), SIZE)[0]).toEqual([
      span('a', { bold: true }),
      span('b', { bold: true, inverse: true }),
      span('c', { inverse: true, bold: true }),
      span('d ab'),
    ]);
  });

  test('typing shows the text and the caret, and Escape leaves only the typing', () => {
    const typing = press(open(TEN), ['/', 'a', '字', 'q']);
    expect(status(typing)).toBe('/a字q');
    expect(pagerCaret(typing, SIZE)).toEqual({ row: 5, column: 5 });
    expect(status(press(typing, ['backspace']))).toBe('/a字');
    const { pager, request } = updatePager(typing, key('escape'), SIZE);
    expect(request).toBeNull();
    expect(pagerCaret(pager, SIZE)).toBeNull();
  });
});

test('c copies a block, o opens it, q, Escape and Ctrl-C leave', () => {
  const request = (pager: Pager, name: string) => updatePager(pager, key(name), SIZE).request;
  expect(request(open(TEN), 'c')).toEqual({ type: 'copy', text: 'row 0\nrow 1' });
  expect(request(press(open(TEN), ['down']), 'c')).toEqual({ type: 'copy', text: 'row 2\nrow 3' });
  expect(request(press(open(TEN), ['/', '1', '3', 'enter']), 'o')).toEqual({ type: 'edit', text: 'row 12\nrow 13' });
  for (const name of ['q', 'escape', 'ctrl-c']) expect(request(open(TEN), name)).toEqual({ type: 'close' });
});

test('one key renders only blocks near the page', () => {
  let rendered = 0;
  const many = Array.from({ length: 20_000 }, (_, n) =>
    createPagerBlock({
      key: `${n}`,
      text: () => '',
      make: () => {
        rendered += 1;
        return [1, 2, 3, 4, 5].map((row) => [span(`row ${5 * n + row}`)]);
      },
    }),
  );
  let pager = open(many, 'end');
  for (const name of ['page_up', 'home', 'down', 'page_down', 'G', 'k', 'u']) {
    pager = press(pager, [name]);
    pagerRows(pager, SIZE);
  }
  expect(rendered).toBeLessThan(60);
});

test('a search in a long text does not render the blocks without the word', () => {
  let rendered = 0;
  const text = `${'line\n'.repeat(50_000)}needle\n${'line\n'.repeat(50_000)}`;
  const blocks = textBlocks('t', text, (lines) => {
    rendered += 1;
    return lines.split('\n').map((line) => [span(line)]);
  });
  const pager = press(open(blocks), ['/', ...'needle', 'enter']);
  expect(page(pager)).toContain('needle');
  expect(rendered).toBeLessThan(10);
});

const LOOK: PagerLook = { cwd: '/w', unicode: true, hyperlinks: false, attributes: false, renderBlock };

test('entries are shown without folds', () => {
  const item: CommandItem = {
    type: 'command',
    id: 'c',
    argv: ['sh', '-c', 'ls'],
    cwd: '/w',
    output: Array.from({ length: 300 }, (_, n) => `out ${n}`).join('\n'),
    exitCode: 3,
    durationMs: 1,
    status: 'failed',
  };
  const shown = (blocks: readonly PagerBlock[]) => blocks.flatMap((one) => one.render(20).map(lineText));
  const lines = shown(entryBlocks('k', { kind: 'item', item }, LOOK));
  expect(lines).toHaveLength(303);
  expect([lines[1], lines[2], lines.at(-2), lines.at(-1)]).toEqual(['$ ls', 'out 0', 'out 299', 'exit 3']);
  const reasoning = entryBlocks(
    'r',
    { kind: 'reasoning', text: '**One**\n\ntwo three four five six\n\n```\nx\n```' },
    LOOK,
  );
  expect(shown(reasoning)).toEqual(['', '**One**', '', 'two three four five', 'six', '', '```', 'x', '```']);
});

const anyKey = fc.constantFrom(
  ...[
    'up',
    'down',
    'page_up',
    'page_down',
    'home',
    'end',
    'd',
    'u',
    'n',
    'N',
    '/',
    'a',
    '字',
    'enter',
    'escape',
    'backspace',
    'c',
  ],
);
const anyBlock = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '字', '👩‍👩‍👧', 'é') }), { maxLength: 5 })
  .map((lines) => block('k', ...lines));

test('any keys at any size leave a page of that size, with no row too wide', () => {
  fc.assert(
    fc.property(
      fc.array(anyBlock, { maxLength: 12 }),
      fc.array(fc.tuple(anyKey, fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 12 })), { maxLength: 30 }),
      fc.boolean(),
      (blocks, steps, isEnd) => {
        let pager = open(blocks, isEnd ? 'end' : 'start');
        for (const [name, columns, rowCount] of steps) {
          const size = { columns, rows: rowCount };
          pager = updatePager(pager, key(name), size).pager;
          const drawn = pagerRows(pager, size);
          expect(drawn).toHaveLength(rowCount);
          for (const row of drawn) expect(lineWidth(row)).toBeLessThanOrEqual(Math.max(2, columns));
          const all = blocks.flatMap((one) => one.render(columns).map(lineText)).join('\n');
          expect(`${all}${'\n'.repeat(rowCount)}`).toContain(drawn.slice(0, -1).map(lineText).join('\n'));
        }
      },
    ),
    { numRuns: runs(1000) },
  );
});
