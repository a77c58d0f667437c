import { opens } from '../effect.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Archives the thread and begins a new one. */
export const archive: SlashCommand = {
  summary: 'archive this thread and begin a new one',
  whileIdle: true,
  begin: (model) => opens(model, 'archive', { what: 'archive', value: '' }),
  async perform({ agent, thread, open }) {
    const { id } = thread;
    await open({ type: 'new' });
    await agent.threads.archive(id);
    return [told(`The thread ${id} is archived. To take it back: oxbow threads unarchive ${id}`)];
  },
};
