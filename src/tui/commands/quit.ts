import { step } from '../effect.ts';
import type { SlashCommand } from './slash-command.ts';

/** Leaves. A running turn is interrupted. */
export const quit: SlashCommand = {
  summary: 'leave',
  begin: (model) => step({ ...model, stage: 'leaving' }, { type: 'save_draft' }, { type: 'quit' }),
};
