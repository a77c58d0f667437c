import { itemPage, transcriptBlocks, transcriptPage } from '../pager/documents.ts';
import { viewOptions } from '../view/model-options.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the thread, or one item of it, in the pager. */
export const transcript: SlashCommand = {
  async perform({ thread, model }, { what, value }) {
    if (!model.thread?.hasTurns) return [{ type: 'hint', text: 'The thread has no turns yet.' }];
    const look = viewOptions(model);
    if (what === 'open') return [{ type: 'page', ...(await transcriptPage(thread, look)) }];
    if (what === 'before') return [{ type: 'earlier', ...(await transcriptBlocks(thread, look, value)) }];
    const item = model.folded;
    return item === null || item.id !== value ? [] : [{ type: 'page', ...(await itemPage(thread, item, look)) }];
  },
};
