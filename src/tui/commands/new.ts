import { opens } from '../effect.ts';
import type { SlashCommand } from './slash-command.ts';

/** Begins a new thread. The one before can be resumed. */
export const newThread: SlashCommand = {
  summary: 'begin a new thread',
  whileIdle: true,
  begin: (model) => opens(model, 'new', { what: 'open', value: '' }),
  async perform({ open }) {
    await open({ type: 'new' });
    return [];
  },
};
