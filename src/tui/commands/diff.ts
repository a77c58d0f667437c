import { step } from '../effect.ts';
import { diffPage } from '../pager/documents.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the uncommitted changes of the repository in the pager. */
export const diff: SlashCommand = {
  summary: 'show the uncommitted changes',
  begin: (model) => step(model, { type: 'perform', command: 'diff', task: { what: 'show', value: '' } }),
  async perform({ agent }) {
    const { uncommittedDiff } = await import('../../app/commands/uncommitted-diff.ts');
    const text = await uncommittedDiff(agent.config);
    if (text === '') return [{ type: 'hint', text: 'There are no uncommitted changes.' }];
    return [{ type: 'page', ...diffPage('Uncommitted changes', text) }];
  },
};
