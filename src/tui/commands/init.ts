import { EMPTY_COMPOSER } from '../composer/composer.ts';
import { editComposer } from '../composer/edit-composer.ts';
import { step } from '../effect.ts';
import { runTurn } from '../update/turn.ts';
import type { SlashCommand } from './slash-command.ts';

const PROMPT = `Write AGENTS.md at the root of this project: a guide for contributors who see the code for the first time.
Read the project before you write. Say, in at most 400 words and with short headings: what the project is and how it is laid out; the exact commands to build, run and test it; the conventions of the code that a reader would not guess; how tests are written and named; how commits and changes are made, from the history.
Write only what you found. If AGENTS.md is there already, correct and shorten it instead.`;

/** Asks the model to write AGENTS.md. */
export const init: SlashCommand = {
  summary: 'let the model write AGENTS.md',
  whileIdle: true,
  begin: (model) =>
    model.thread === null
      ? step({ ...model, hint: 'The thread is not open yet.' })
      : runTurn(model, editComposer(EMPTY_COMPOSER, { type: 'set', text: PROMPT }, 80)),
};
