import { step } from '../effect.ts';
import type { SlashCommand } from './slash-command.ts';

/** Puts a prompt of the history into the composer. */
export const history: SlashCommand = {
  choose: (model, { value }) => step(model, { type: 'perform', command: 'history', task: { what: 'put', value } }),
  perform: async (_, { value }) => [{ type: 'draft', text: value }],
};
