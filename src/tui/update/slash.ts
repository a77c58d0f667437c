import { nearestName } from '../../config/nearest-name.ts';
import { PRESETS } from '../commands/approvals.ts';
import { COMMANDS } from '../commands/index.ts';
import { step, type UpdateStep } from '../effect.ts';
import type { ListRow } from '../list.ts';
import type { TuiModel } from '../model.ts';
import { note } from './say.ts';

/** Reports whether a text is a slash command: a path such as /etc/hosts is not. */
export const isSlash = (text: string): boolean => /^\/[a-z][\w-]*(\s|$)/i.test(text);

/** Returns the rows of all commands. */
export const commandRows = (): ListRow[] =>
  Object.entries(COMMANDS).flatMap(([name, { summary, argument }]) =>
    summary === undefined
      ? []
      : [{ value: name, label: `/${name}${argument === undefined ? '' : ` ${argument}`}`, detail: summary }],
  );

/** Runs a command line without its slash. A command that needs a turn to end waits for that, and says so. */
export function runSlash(model: TuiModel, line: string): UpdateStep {
  const [, name = '', argument = ''] = /^(\S*)\s*([\s\S]*?)\s*$/.exec(line) ?? [];
  if (name === 'help') return step(note(model, helpText(), 'plain'));
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command?.begin === undefined) {
    const names = commandRows().map(({ value }) => value);
    const meant = nearestName(name, names);
    const advice = meant === undefined ? '/help lists the commands.' : `Did you mean /${meant}?`;
    return step({ ...model, hint: `There is no command /${name}. ${advice}` });
  }
  const until = model.isOpening
    ? 'the thread is open'
    : model.turn !== null && command.whileIdle
      ? 'this turn has ended'
      : null;
  if (until !== null)
    return step({ ...model, delayed: [...model.delayed, line], hint: `/${name} runs when ${until}.` });
  return command.begin(model, argument);
}

function helpText(): string {
  const rows = commandRows();
  const width = Math.max(...rows.map(({ label }) => label.length));
  const lines = rows.map(({ label, detail = '' }) => `  ${label.padEnd(width)}  ${detail}`);
  return ['Commands', ...lines, '', '  @ names a file, ! runs a command of your own, ? shows the keys'].join('\n');
}

/** Returns the step for a row that was chosen from the list of a command. */
export function choose(model: TuiModel, name: string, row: ListRow): UpdateStep {
  return COMMANDS[name]?.choose?.(model, row) ?? step(model);
}

/** Returns the model with the next preset of approvals and sandbox, for the turns from now on. */
export function nextPreset(model: TuiModel): UpdateStep {
  const names = Object.keys(PRESETS);
  const at = names.findIndex((name) => {
    const { approvalPolicy, sandboxMode } = PRESETS[name]?.overrides ?? {};
    return approvalPolicy === model.overrides.approvalPolicy && sandboxMode === model.overrides.sandboxMode;
  });
  const next = names[(at + 1) % names.length] ?? '';
  return choose(model, 'approvals', { value: next, label: next });
}
