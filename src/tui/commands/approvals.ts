import type { TurnOverrides } from '../../base/turn-overrides.ts';
import { step } from '../effect.ts';
import { openChoice } from '../update/open-choice.ts';
import type { SlashCommand } from './slash-command.ts';

interface Preset {
  readonly label: string;
  readonly effect: string;
  readonly overrides: Pick<TurnOverrides, 'approvalPolicy' | 'sandboxMode'>;
}

/** Settings of approvals and sandbox that go together. The first one leaves both to the configuration. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  configured: { label: 'as configured', effect: 'The settings of config.toml.', overrides: {} },
  'read-only': {
    label: 'read only',
    effect: 'Commands may read. You are asked before anything else.',
    overrides: { approvalPolicy: 'on-request', sandboxMode: 'read-only' },
  },
  ask: {
    label: 'ask',
    effect: 'You are asked about every command that may change something, and about patches.',
    overrides: { approvalPolicy: 'untrusted', sandboxMode: 'workspace-write' },
  },
  workspace: {
    label: 'workspace',
    effect: 'Commands may change the project. You are asked when the model wants to leave the sandbox.',
    overrides: { approvalPolicy: 'on-request', sandboxMode: 'workspace-write' },
  },
};

/** Chooses when the user is asked and what commands may touch, for the turns from now on. */
export const approvals: SlashCommand = {
  summary: 'choose when you are asked and what commands may touch',
  begin: (model) =>
    step(
      openChoice(model, {
        command: 'approvals',
        title: 'From the next turn on',
        rows: Object.entries(PRESETS).map(([value, { label, effect }]) => ({ value, label, detail: effect })),
      }),
    ),
  choose(model, { value }) {
    const preset = PRESETS[value];
    if (preset === undefined) return step(model);
    const { approvalPolicy: _, sandboxMode: _mode, ...others } = model.overrides;
    const { approval, sandbox } = model.configured;
    const settings = {
      ...model.settings,
      approval: typeof preset.overrides.approvalPolicy === 'string' ? preset.overrides.approvalPolicy : approval,
      sandbox: preset.overrides.sandboxMode ?? sandbox,
    };
    const hint = `From the next turn on: ${preset.label}. ${preset.effect}`;
    return step({ ...model, overrides: { ...others, ...preset.overrides }, settings, hint });
  },
};
