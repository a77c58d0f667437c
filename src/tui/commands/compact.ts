import { step } from '../effect.ts';
import { note } from '../update/say.ts';
import type { SlashCommand } from './slash-command.ts';

/** Replaces the history by a shorter one that the model writes. */
export const compact: SlashCommand = {
  summary: 'replace the history by a summary',
  whileIdle: true,
  begin(model) {
    if (!model.thread?.hasTurns) return step({ ...model, hint: 'There is no history to compact yet.' });
    const turn = { startedAt: model.now, note: 'compacting', isInterrupted: false };
    return step(note({ ...model, turn }, 'The model writes a summary of the history.'), {
      type: 'perform',
      command: 'compact',
      task: { what: 'compact', value: '' },
    });
  },
  async perform({ thread, model }) {
    const { status, error } = await thread.compact(model.overrides);
    return status === 'failed'
      ? [{ type: 'failed', text: error?.message ?? 'The history could not be compacted.' }]
      : [];
  },
};
