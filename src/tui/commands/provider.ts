import { step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Chooses the provider, for the turns from now on. The provider's default model is asked until another one is chosen. */
export const provider: SlashCommand = {
  summary: 'choose the provider of the model',
  argument: '[NAME]',
  begin(model, argument) {
    if (argument !== '') return provider.choose?.(model, { value: argument, label: argument }) ?? step(model);
    return step(openChoice(model, { command: 'provider', title: 'Providers' }), {
      type: 'perform',
      command: 'provider',
      task: { what: 'list', value: '' },
    });
  },
  choose: (model, { value }) => step(model, { type: 'perform', command: 'provider', task: { what: 'use', value } }),
  async perform({ agent, model }, { what, value }) {
    const { listProviders } = await import('../../app/commands/list-providers.ts');
    const rows = listProviders(agent.config);
    if (what === 'use') {
      const found = rows.find(({ id }) => id === value);
      if (found === undefined) return [{ type: 'hint', text: `There is no provider ${value}. /provider lists them.` }];
      const name = found.defaultModel ?? model.settings.model;
      return [
        {
          type: 'settings',
          settings: { provider: found.name, model: name },
          overrides: { provider: found.id, model: name },
        },
        { type: 'hint', text: `From the next turn on: ${name} of ${found.name}. /model chooses another one.` },
      ];
    }
    return [
      {
        type: 'rows',
        command: 'provider',
        rows: rows.map(({ id, name, key }) => ({
          value: id,
          label: id,
          detail: key.kind === 'missing' ? `${name}, ${key.variable} is not set` : name,
        })),
      },
    ];
  },
};
