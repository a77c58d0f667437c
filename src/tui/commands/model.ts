import { step } from '../effect.ts';
import type { ListRow } from '../list.ts';
import { openChoice } from '../update/open-choice.ts';
import type { SlashCommand } from './slash-command.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** Chooses the model and its effort, for the turns from now on. */
export const model: SlashCommand = {
  summary: 'choose the model and its effort',
  argument: '[NAME] [EFFORT]',
  begin(state, argument) {
    const [name = '', effort] = argument.split(/\s+/);
    if (name === '')
      return step(openChoice(state, { command: 'model', title: `Models of ${state.settings.provider}` }), {
        type: 'perform',
        command: 'model',
        task: { what: 'list', value: '' },
      });
    // An effort alone keeps the model.
    const isEffort = effort === undefined && EFFORTS.includes(name);
    const overrides = isEffort ? { effort: name } : { model: name, ...(effort === undefined ? {} : { effort }) };
    const settings = { ...state.settings, ...overrides };
    const hint = `From the next turn on: ${settings.model}${settings.effort === null ? '' : `, effort ${settings.effort}`}.`;
    return step({ ...state, overrides: { ...state.overrides, ...overrides }, settings, hint });
  },
  choose: (state, { value }) => model.begin?.(state, value) ?? step(state),
  async perform({ agent, model: state, send }) {
    const { listKnownModels } = await import('../../app/commands/list-models.ts');
    const current: ListRow = { value: state.settings.model, label: state.settings.model, detail: 'now' };
    const efforts = EFFORTS.map((effort) => ({ value: effort, label: effort, detail: 'effort of this model' }));
    send({ type: 'rows', command: 'model', rows: [current, ...efforts] });
    const listed = await listKnownModels(agent.config, state.overrides.provider ?? agent.provider.id);
    const others = listed.filter(({ id }) => id !== state.settings.model);
    const rows = others.map(({ id, contextWindow }) => ({
      value: id,
      label: id,
      ...(contextWindow === undefined ? {} : { detail: `window ${Math.round(contextWindow / 1000)}k` }),
    }));
    return [{ type: 'rows', command: 'model', rows: [current, ...rows, ...efforts] }];
  },
};
