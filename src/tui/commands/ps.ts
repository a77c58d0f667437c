import { shownCommand } from '../../shell/shown-command.ts';
import { step } from '../effect.ts';
import { table, told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Lists the commands that the model left running. */
export const ps: SlashCommand = {
  summary: 'list the commands that run in the background',
  begin: (model) => step(model, { type: 'perform', command: 'ps', task: { what: 'list', value: '' } }),
  async perform({ thread, model }) {
    const { terminals } = thread;
    if (terminals.length === 0) return [told('No command runs in the background.')];
    const rows = terminals.map(({ id, argv, startedAt, sandboxed }) => {
      const seconds = Math.max(0, Math.round((model.now - startedAt) / 1000));
      return [String(id), `${shownCommand(argv)}  (${seconds} s${sandboxed ? '' : ', outside the sandbox'})`] as const;
    });
    return [table('Running in the background. /stop NUMBER ends one', rows)];
  },
};
