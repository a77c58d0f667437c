import { opens, step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import { told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';
import { threadRows } from './thread-rows.ts';

/** Goes on in a copy of the thread, which itself stays as it is. Without an open thread it lists those to copy. */
export const fork: SlashCommand = {
  summary: 'go on in a copy of this thread',
  whileIdle: true,
  begin(model, argument) {
    if (model.thread === null) {
      const task = { what: argument === '--all' ? 'more' : 'list', value: '' };
      const list = openChoice(model, { command: 'fork', title: 'Copy which thread? Tab lists all folders' });
      return step(list, { type: 'perform', command: 'fork', task });
    }
    if (!model.thread.hasTurns) return step({ ...model, hint: 'The thread has no turns to copy yet.' });
    return opens(model, 'fork', { what: 'fork', value: model.thread.id });
  },
  choose: (model, { value }) => opens(model, 'fork', { what: 'fork', value }),
  async perform(session, { what, value }) {
    if (what !== 'fork') return [{ type: 'rows', command: 'fork', rows: await threadRows(session, what === 'more') }];
    await session.open({ type: 'fork', thread: value });
    return [told(`This is a copy. The thread it was copied from: oxbow resume ${value}`)];
  },
};
