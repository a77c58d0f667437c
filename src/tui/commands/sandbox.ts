import type { SandboxMode } from '../../base/policy.ts';
import { step } from '../effect.ts';
import type { ListRow } from '../list.ts';
import { openChoice } from '../update/open-choice.ts';
import type { SlashCommand } from './slash-command.ts';

const MODES: Readonly<Record<SandboxMode, string>> = {
  'read-only': 'Commands may read files and write none.',
  'workspace-write': 'Commands may write in the project and in temporary folders.',
  'danger-full-access': 'No sandbox: commands may do what you may do.',
};

const ROWS: readonly ListRow[] = Object.entries(MODES).map(([value, detail]) => ({ value, label: value, detail }));

const isMode = (value: string): value is SandboxMode => Object.hasOwn(MODES, value);

/** Chooses what commands may touch, for the turns from now on. Running terminals keep their sandbox. */
export const sandbox: SlashCommand = {
  summary: 'choose what commands may touch',
  argument: '[MODE]',
  begin(model, argument) {
    if (isMode(argument)) return sandbox.choose?.(model, { value: argument, label: argument }) ?? step(model);
    if (argument !== '') return step({ ...model, hint: `There is no sandbox ${argument}. /sandbox lists them.` });
    return step(openChoice(model, { command: 'sandbox', title: 'From the next turn on', rows: ROWS }));
  },
  choose(model, { value }) {
    if (!isMode(value)) return step(model);
    const settings = { ...model.settings, sandbox: value };
    const hint = `From the next turn on: ${value}. ${MODES[value]}`;
    return step({ ...model, overrides: { ...model.overrides, sandboxMode: value }, settings, hint });
  },
};
