import { step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import { copyBlocks } from './copy-blocks.ts';
import type { SlashCommand } from './slash-command.ts';

/** Copies the last answer, or one of its blocks, to the clipboard of the terminal. */
export const copy: SlashCommand = {
  summary: 'copy the last answer or a part of it',
  begin(model) {
    const blocks = copyBlocks(model.answer, model.lastCommand);
    if (blocks.length === 0) return step({ ...model, hint: 'There is no answer to copy yet.' });
    const rows = blocks.map(({ label, text }, index) => ({
      value: String(index),
      label: `${index + 1} ${label}`,
      detail: text.replace(/\s+/g, ' ').slice(0, 60),
    }));
    return step(openChoice(model, { command: 'copy', title: 'Copy', rows }));
  },
  choose(model, { value }) {
    const block = copyBlocks(model.answer, model.lastCommand)[Number(value)];
    if (block === undefined) return step(model);
    return step({ ...model, hint: `Copied: ${block.label}.` }, { type: 'copy', text: block.text });
  },
};
