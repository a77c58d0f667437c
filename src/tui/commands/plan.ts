import { step } from '../effect.ts';
import { say } from '../update/say.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the last plan of the model again. */
export const plan: SlashCommand = {
  summary: 'show the last plan of the model',
  begin: (model) =>
    model.plan === null
      ? step({ ...model, hint: 'The model has made no plan in this thread.' })
      : step(say(model, { kind: 'item', item: model.plan })),
};
