import { shownCommand } from '../../shell/shown-command.ts';
import { step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Ends a command that runs in the background. */
export const stop: SlashCommand = {
  summary: 'end a command that runs in the background',
  argument: '[NUMBER]',
  begin(model, argument) {
    if (argument !== '' && !/^\d+$/.test(argument))
      return step({ ...model, hint: `Type the number of a command, not ${argument}: /ps lists them.` });
    if (argument !== '') return stop.choose?.(model, { value: argument, label: argument }) ?? step(model);
    if (model.settings.terminals === 0) return step({ ...model, hint: 'No command runs in the background.' });
    return step(openChoice(model, { command: 'stop', title: 'End which one?' }), {
      type: 'perform',
      command: 'stop',
      task: { what: 'list', value: '' },
    });
  },
  choose: (model, { value }) => step(model, { type: 'perform', command: 'stop', task: { what: 'stop', value } }),
  async perform({ thread }, { what, value }) {
    if (what === 'list') {
      const rows = thread.terminals.map(({ id, argv }) => ({
        value: String(id),
        label: String(id),
        detail: shownCommand(argv),
      }));
      return [{ type: 'rows', command: 'stop', rows }];
    }
    await thread.stopTerminal(Number(value));
    return [told(`The command ${value} was ended.`)];
  },
};
