import { step } from '../effect.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Names the thread. */
export const rename: SlashCommand = {
  summary: 'name this thread',
  argument: 'NAME',
  begin(model, argument) {
    if (argument === '') return step({ ...model, hint: 'Type the name after the command: /rename NAME' });
    if (!model.thread?.hasTurns) return step({ ...model, hint: 'A thread can be named once it has a turn.' });
    const thread = { ...model.thread, name: argument };
    return step({ ...model, thread }, { type: 'perform', command: 'rename', task: { what: 'name', value: argument } });
  },
  async perform({ agent, thread }, { value }) {
    await agent.threads.rename(thread.id, value);
    return [told(`The thread is called ${value} now. To go on with it later: oxbow resume "${value}"`)];
  },
};
