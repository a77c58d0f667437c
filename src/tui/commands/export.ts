import { step } from '../effect.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Writes the thread to a Markdown file. */
export const exportThread: SlashCommand = {
  summary: 'write this thread to a Markdown file',
  argument: '[FILE]',
  begin: (model, argument) =>
    step(model, { type: 'perform', command: 'export', task: { what: 'write', value: argument } }),
  async perform({ thread, exportThread: write }, { value }) {
    const path = await write(thread.id, value === '' ? `oxbow-${thread.id.slice(0, 8)}.md` : value);
    return [told(`The thread is written to ${path}. It may hold secrets that commands printed: only you can read it.`)];
  },
};
