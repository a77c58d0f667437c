import { step } from '../effect.ts';
import { table } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Shows the thread, its settings and where they come from. */
export const status: SlashCommand = {
  summary: 'show the thread and its settings',
  begin: (model) => step(model, { type: 'perform', command: 'status', task: { what: 'show', value: '' } }),
  async perform({ agent, thread, model }) {
    const { settings, place } = model;
    const { keySource } = await import('../../app/commands/key-source.ts');
    const key = keySource(agent.provider, agent.config);
    const rows: (readonly [string, string])[] = [
      ['thread', `${thread.id}${model.thread?.name ? ` (${model.thread.name})` : ''}`],
      ['file', thread.path ?? 'none: the thread is not kept'],
      ['folder', place.cwd],
      [
        'model',
        `${settings.model} (${settings.provider})${settings.effort === null ? '' : `, effort ${settings.effort}`}`,
      ],
      ['key', 'where' in key ? key.where : key.kind],
      ['approvals', settings.approval],
      ['sandbox', settings.sandbox],
      ['context', settings.contextLeft === null ? 'unknown' : `${settings.contextLeft}% left`],
      ['tokens', settings.tokens.toLocaleString('en')],
      ['cost', settings.cost === null ? 'unknown' : `$${settings.cost.toFixed(4)}`],
      ['home', agent.config.home],
    ];
    return [table('Status', rows)];
  },
};
