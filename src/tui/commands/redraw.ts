import { step } from '../effect.ts';
import type { SlashCommand } from './slash-command.ts';

/** Prints the last turns again below, at the width of now. */
export const redraw: SlashCommand = {
  summary: 'print the last turns again, at this width',
  begin: (model) => step(model, { type: 'perform', command: 'redraw', task: { what: 'print', value: '' } }),
  async perform({ thread }) {
    const { lastTurns } = await import('../last-turns.ts');
    return [{ type: 'said', entries: await lastTurns(thread) }];
  },
};
