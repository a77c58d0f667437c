import { step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import { THEMES } from '../view/themes.ts';
import type { SlashCommand } from './slash-command.ts';

/** Chooses the colours, from now on. config.toml keeps a choice for good. */
export const theme: SlashCommand = {
  summary: 'choose the colours',
  argument: '[NAME]',
  begin(model, argument) {
    const themes = { ...THEMES, ...model.look.themes };
    if (argument !== '') {
      if (!Object.hasOwn(themes, argument))
        return step({ ...model, hint: `There is no theme ${argument}. /theme lists them.` });
      return theme.choose?.(model, { value: argument, label: argument }) ?? step(model);
    }
    const rows = Object.keys(themes).map((name) => ({ value: name, label: name }));
    return step(openChoice(model, { command: 'theme', title: 'Colours', rows }));
  },
  choose: (model, { value }) =>
    step(
      { ...model, look: { ...model.look, theme: value }, hint: `To keep it: oxbow config set tui.theme ${value}` },
      { type: 'redraw' },
    ),
};
