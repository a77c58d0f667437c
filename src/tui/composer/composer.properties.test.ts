import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { cellWidth } from '../../text/cells.ts';
import { graphemes } from '../../text/graphemes.ts';
import { lineText } from '../../text/span.ts';
import { lineWidth } from '../../text/wrap.ts';
import { type Composer, composerText, EMPTY_COMPOSER } from './composer.ts';
import { composerRows, isCaretAtEdge } from './composer-rows.ts';
import { type EditCommand, editComposer } from './edit-composer.ts';
import { anyCommands, largeText } from './test-commands.ts';

const COLUMNS = 20;
const edited = (commands: readonly EditCommand[], columns = COLUMNS) =>
  commands.reduce((composer, command) => editComposer(composer, command, columns), EMPTY_COMPOSER);

const shownOf = ({ text, folds, caret }: Composer) => ({ text, folds, caret });

test('the caret stays between graphemes and outside folds, and folds stay apart and in the text', () => {
  fc.assert(
    fc.property(anyCommands, fc.integer({ min: 1, max: 30 }), (commands, columns) => {
      let composer = EMPTY_COMPOSER;
      for (const command of commands) {
        composer = editComposer(composer, command, columns);
        const { text, folds, caret } = composer;
        expect(boundaries(text)).toContain(caret);
        let end = 0;
        for (const fold of folds) {
          expect(fold.start).toBeGreaterThanOrEqual(end);
          expect(fold.start < caret && caret < fold.end).toBe(false);
          expect(text.slice(fold.start, fold.end)).toMatch(/^\[(paste|image) \d+: .*\]$/);
          end = fold.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: runs(3000) },
  );
});

function boundaries(text: string): Set<number> {
  const places = new Set([0]);
  let at = 0;
  for (const grapheme of graphemes(text)) {
    at += grapheme.length;
    places.add(at);
  }
  return places;
}

test('undo is the inverse of a command', () => {
  fc.assert(
    fc.property(anyCommands, (commands) => {
      let composer = EMPTY_COMPOSER;
      for (const command of commands) {
        // A move in place ends the word that is typed.
        const before = { ...composer, last: { kind: 'other' as const } };
        const after = editComposer(before, command, COLUMNS);
        if (after.undo.length > before.undo.length && command.type !== 'redo') {
          expect(shownOf(editComposer(after, { type: 'undo' }, COLUMNS))).toEqual(shownOf(before));
          const again = editComposer(editComposer(after, { type: 'undo' }, COLUMNS), { type: 'redo' }, COLUMNS);
          expect(shownOf(again)).toEqual(shownOf(after));
        }
        composer = editComposer(composer, command, COLUMNS);
      }
    }),
    { numRuns: runs(2000) },
  );
});

test('all changes can be undone, and done again', () => {
  fc.assert(
    fc.property(anyCommands, (commands) => {
      const end = edited(commands);
      let composer = end;
      while (composer.undo.length > 0) composer = editComposer(composer, { type: 'undo' }, COLUMNS);
      expect(shownOf(composer)).toEqual({ text: '', folds: [], caret: 0 });
      while (composer.redo.length > end.redo.length) composer = editComposer(composer, { type: 'redo' }, COLUMNS);
      expect({ text: composer.text, folds: composer.folds }).toEqual({ text: end.text, folds: end.folds });
    }),
    { numRuns: runs(2000) },
  );
});

test('rows are not wider than asked, not more than asked, and have the caret', () => {
  const size = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 8 }));
  fc.assert(
    fc.property(anyCommands, size, (commands, [columns, rows]) => {
      const composer = edited(commands, columns);
      const shown = composerRows(composer, columns, rows);
      expect(shown.rows.length).toBeLessThanOrEqual(rows);
      for (const row of shown.rows) expect(lineWidth(row)).toBeLessThanOrEqual(columns);
      expect(shown.caret.row).toBeLessThan(shown.rows.length);
      expect(shown.caret.column).toBeLessThan(columns);
      expect(shown.caret.column).toBeLessThanOrEqual(lineWidth(shown.rows[shown.caret.row] ?? []));
    }),
    { numRuns: runs(3000) },
  );
});

test('all rows together are the text', () => {
  const plain = fc.array(fc.constantFrom('ab ', 'c', '\n', '日本', 'longer-word', '  '), { maxLength: 40 });
  fc.assert(
    fc.property(plain, fc.integer({ min: 2, max: 12 }), fc.nat(300), (parts, columns, lefts) => {
      let composer = edited([{ type: 'set', text: parts.join('') }]);
      for (let count = 0; count < lefts; count += 1)
        composer = editComposer(composer, { type: 'move', to: 'left' }, columns);
      const { rows, caret } = composerRows(composer, columns, 1000);
      const texts = rows.map(lineText);
      expect(texts.join('')).toBe(composer.text.replaceAll('\n', ''));
      const before = texts.slice(0, caret.row).join('') + headOf(texts[caret.row] ?? '', caret.column);
      expect(before).toBe(composer.text.slice(0, composer.caret).replaceAll('\n', ''));
      expect(isCaretAtEdge(composer, 'first', columns)).toBe(caret.row === 0);
      expect(isCaretAtEdge(composer, 'last', columns)).toBe(caret.row === rows.length - 1);
    }),
    { numRuns: runs(2000) },
  );
});

function headOf(text: string, width: number): string {
  let head = '';
  for (const grapheme of graphemes(text)) if (cellWidth(head) < width) head += grapheme;
  return head;
}

/** A draft as a list of units: characters, and folds by what they stand for. */
interface Model {
  units: string[];
  caret: number;
}

const isLine = (unit: string | undefined) => unit === '\n';

const MODEL: Readonly<Record<string, (model: Model) => void>> = {
  left: (model) => {
    model.caret = Math.max(0, model.caret - 1);
  },
  right: (model) => {
    model.caret = Math.min(model.units.length, model.caret + 1);
  },
  start: (model) => {
    model.caret = 0;
  },
  end: (model) => {
    model.caret = model.units.length;
  },
  line_start: (model) => {
    while (model.caret > 0 && !isLine(model.units[model.caret - 1])) model.caret -= 1;
  },
  line_end: (model) => {
    while (model.caret < model.units.length && !isLine(model.units[model.caret])) model.caret += 1;
  },
  delete: (model) => {
    model.units.splice(model.caret, 1);
  },
};

test('the text is that of a list of characters with the same commands', () => {
  const step = fc.oneof(
    fc.constantFrom('a', 'b', ' ', '\n', '日', '😀').map((put) => ({ put, large: false })),
    largeText.map((put) => ({ put, large: true })),
    fc.constantFrom('left', 'right', 'start', 'end', 'line_start', 'line_end', 'delete').map((name) => ({ name })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const model: Model = { units: [], caret: 0 };
      let composer = EMPTY_COMPOSER;
      for (const each of steps) {
        if ('name' in each) MODEL[each.name]?.(model);
        else model.units.splice(model.caret++, 0, each.put.replaceAll('\r\n', '\n'));
        composer = editComposer(composer, commandOf(each), COLUMNS);
        expect(composerText(composer)).toBe(model.units.join(''));
      }
    }),
    { numRuns: runs(2000) },
  );
});

type Step = { readonly name: string } | { readonly put: string; readonly large: boolean };

function commandOf(step: Step): EditCommand {
  if ('put' in step) return { type: step.large ? 'paste' : 'insert', text: step.put };
  if (step.name === 'delete') return { type: 'delete', what: 'right' };
  const to = (['left', 'right', 'start', 'end', 'line_start', 'line_end'] as const).find((name) => name === step.name);
  return { type: 'move', to: to ?? 'end' };
}
