import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ThreadSummary } from '../../app/threads/threads.ts';
import { cellWidth } from '../../text/cells.ts';
import { createStyle } from '../print/style.ts';
import { formatLines, formatTable } from './format-list.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');
const plain = createStyle(false);

function thread(more: Partial<ThreadSummary> = {}): ThreadSummary {
  return {
    id: '01a1dfaa-5614-7981-86ac-d217a2d75c00',
    name: null,
    preview: 'fix it',
    cwd: '/project/here',
    startedAt: '2026-03-20T11:00:00Z',
    changedAt: '2026-03-20T11:30:00Z',
    bytes: 1,
    source: 'exec',
    provider: 'p',
    model: 'm',
    forkedFrom: null,
    metadata: {},
    archived: false,
    label: '/home/rollout.jsonl',
    path: '/x',
    note: null,
    ...more,
  };
}

test('a table has headings and a row for each thread', () => {
  const threads = [thread(), thread({ id: 'short', name: 'Named', changedAt: '2026-03-20T11:59:59Z' })];
  expect(formatTable(threads, { style: plain, columns: 60, now: NOW, folders: false })).toBe(
    [
      'THREAD         CHANGED         TITLE',
      '01a1dfaa-5614  30 minutes ago  fix it',
      'short          just now        Named  fix it',
      '',
    ].join('\n'),
  );
  const wide = formatTable(threads, { style: plain, columns: 80, now: NOW, folders: true });
  expect(wide.split('\n')[1]).toBe('01a1dfaa-5614  30 minutes ago  /project/here  fix it');
});

test('damage is shown, and no title can control the terminal or break the lines of a pipe', () => {
  const threads = [thread({ note: 'It is broken.', preview: null }), thread({ preview: 'a\u001b[31m\tb' })];
  const table = formatTable(threads, { style: plain, columns: 80, now: NOW, folders: false });
  expect(table).toContain('It is broken.\n');
  expect(formatLines(threads).split('\n')[1]).toBe(
    '01a1dfaa-5614-7981-86ac-d217a2d75c00\t2026-03-20T11:30:00Z\t/project/here\ta b',
  );
});

test('no row is wider than the terminal, whatever its content', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.constant('日本語'.repeat(20)));
  const made = fc.record({
    name: fc.option(text),
    preview: fc.option(text),
    cwd: fc.option(text),
    note: fc.option(text),
  });
  fc.assert(
    fc.property(
      fc.array(made, { minLength: 1 }),
      fc.integer({ min: 60, max: 150 }),
      fc.boolean(),
      (rows, columns, folders) => {
        const lines = formatTable(rows.map(thread), { style: plain, columns, now: NOW, folders }).split('\n');
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});
