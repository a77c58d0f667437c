import type { ReviewTarget } from '../../app/commands/review.ts';
import { step } from '../effect.ts';
import { note } from '../update/say.ts';
import type { SlashCommand } from './slash-command.ts';

/** Lets the model review changes in a thread of its own, so that the thread here stays as it is. */
export const review: SlashCommand = {
  summary: 'review changes: uncommitted ones, against BRANCH, or what you say',
  argument: '[BRANCH | WORDS]',
  whileIdle: true,
  begin(model, argument) {
    const turn = { startedAt: model.now, note: 'reviewing', isInterrupted: false };
    return step(note({ ...model, turn }, `Reviewing ${argument === '' ? 'the uncommitted changes' : argument}.`), {
      type: 'perform',
      command: 'review',
      task: { what: 'review', value: argument },
    });
  },
  perform: ({ review: run }, { value }) => run(targetOf(value)),
};

function targetOf(argument: string): ReviewTarget {
  if (argument === '') return { kind: 'uncommitted' };
  return /\s/.test(argument) ? { kind: 'custom', prompt: argument } : { kind: 'base', branch: argument };
}
