import fc from 'fast-check';
import type { EditCommand } from './edit-composer.ts';

const text = fc.oneof(
  fc.constantFrom(
    'a',
    'word',
    ' ',
    '\n',
    '日本',
    '👩\u200d🚀',
    '🇩🇪',
    'e\u0301',
    '\u0301',
    '\u0600',
    '\t',
    '\x07',
    'foo-bar()',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

/** Large pastes, which become folds. */
export const largeText = fc.constantFrom('line\n'.repeat(20), 'x'.repeat(2000), '日本語\r\n'.repeat(15));

/** Any command on a draft. */
const anyCommand: fc.Arbitrary<EditCommand> = fc.oneof(
  { weight: 4, arbitrary: text.map((typed) => ({ type: 'insert' as const, text: typed })) },
  { weight: 1, arbitrary: fc.oneof(text, largeText).map((pasted) => ({ type: 'paste' as const, text: pasted })) },
  { weight: 1, arbitrary: fc.constant({ type: 'image' as const, path: '/a.png', label: '640×480' }) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('left', 'right', 'word_left', 'word_right', 'line_start', 'line_end', 'start', 'end', 'up', 'down')
      .map((to) => ({ type: 'move' as const, to })),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('left', 'right', 'word_left', 'word_right', 'line_start', 'line_end')
      .map((what) => ({ type: 'delete' as const, what })),
  },
  { weight: 2, arbitrary: fc.constantFrom('yank', 'yank_older', 'undo', 'redo').map((type) => ({ type })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(40), fc.nat(40), text)
      .map(([start, end, put]) => ({ type: 'replace' as const, start, end, text: put })),
  },
  { weight: 1, arbitrary: text.map((put) => ({ type: 'set' as const, text: put })) },
);

/** A series of commands on drafts. */
export const anyCommands = fc.array(anyCommand, { maxLength: 40 });
