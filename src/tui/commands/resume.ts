import { opens, step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import type { SlashCommand } from './slash-command.ts';
import { threadRows } from './thread-rows.ts';

/** Opens another thread: one that is named, or one from the list of this folder's threads. */
export const resume: SlashCommand = {
  summary: 'go on with another thread',
  argument: '[THREAD]',
  whileIdle: true,
  begin(model, argument) {
    const isList = argument === '' || argument === '--all';
    if (!isList) return opens(model, 'resume', { what: 'open', value: argument });
    const list = openChoice(model, { command: 'resume', title: 'Go on with which thread? Tab lists all folders' });
    const what = argument === '' ? 'list' : 'more';
    return step(list, { type: 'perform', command: 'resume', task: { what, value: '' } });
  },
  choose: (model, { value }) => opens(model, 'resume', { what: 'open', value }),
  async perform(session, { what, value }) {
    if (what !== 'open') return [{ type: 'rows', command: 'resume', rows: await threadRows(session, what === 'more') }];
    await session.open({ type: 'resume', thread: value });
    return [];
  },
};
