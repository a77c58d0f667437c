import { step } from '../effect.ts';
import type { KeyAction } from '../update/key-bindings.ts';
import { note } from '../update/say.ts';
import type { SlashCommand } from './slash-command.ts';

/** Effects of the keys, in the order in which they are listed. The usual keys of editing are one line. */
const EFFECTS: readonly (readonly [action: KeyAction, effect: string])[] = [
  ['send', 'send; while it works: with the next request'],
  ['complete', 'complete; while it works: send after this turn'],
  ['new_line', 'new line; also \\ before Enter'],
  ['back', 'close a list, else interrupt; twice on an empty line: go back to an earlier turn'],
  ['stop', 'interrupt, else put the draft aside; twice on an empty line: leave'],
  ['leave', 'leave when the line is empty'],
  ['take_back', 'take back what waits, to edit it'],
  ['search_history', 'search the prompts of all threads'],
  ['editor', 'edit in $VISUAL or $EDITOR'],
  ['image', 'add the image of the clipboard'],
  ['transcript', 'read the whole thread'],
  ['open_folded', 'open what was folded last'],
  ['preset', 'next preset of approvals and sandbox'],
  ['undo', 'undo'],
  ['yank', 'bring back deleted text'],
  ['redraw', 'draw again'],
  ['suspend', 'suspend'],
];

/** Lists the keys. */
export const keys: SlashCommand = {
  summary: 'list the keys',
  begin(model) {
    const named = EFFECTS.map(([action, effect]) => [keysOf(model.keys, action), effect] as const);
    const width = Math.max(...named.map(([name]) => name.length));
    const lines = named.map(([name, effect]) => `  ${name.padEnd(width)}  ${effect}`);
    const more = [
      '',
      '  In front of a question Tab or Down goes to it, Esc comes back. [tui.keys] of config.toml rebinds keys.',
    ];
    return step(note(model, ['Keys', ...lines, ...more].join('\n'), 'plain'));
  },
};

/** Returns the keys of an action as people write them. */
function keysOf(bindings: ReadonlyMap<string, KeyAction>, action: KeyAction): string {
  const names = [...bindings].flatMap(([key, bound]) => (bound === action ? [key] : []));
  return names.slice(0, 2).map(shownKey).join(', ');
}

const shownKey = (key: string): string =>
  key
    .split('+')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('-');
