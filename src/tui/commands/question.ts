import { questionPage } from '../pager/documents.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the action of a question in the pager, to its end. */
export const question: SlashCommand = {
  async perform({ model }, { value }) {
    const found = model.questions.find(({ ask }) => ask.id === value);
    return found === undefined ? [] : [{ type: 'page', ...questionPage(found, model.look.unicode) }];
  },
};
