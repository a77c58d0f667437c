import type { CommandAction } from '../../base/action.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { View } from '../../base/tool.ts';
import { scriptOfOperators } from '../../shell/argv-operators.ts';

/**
 * Returns the words of a command. When they contain shell operators, which do nothing without a shell, the command is
 * run in one.
 */
export function repairArgv(argv: readonly string[], view: View): Pick<CommandAction, 'argv' | 'repair'> {
  if (argv.length === 0) throw new ToolFailure('parse', 'failed to parse function arguments: `command` is empty');
  const script = view.repairArgv ? scriptOfOperators(argv) : undefined;
  if (script === undefined) return { argv };
  const title = 'shell operators among the words of a command, which now runs through the shell';
  const repair = { id: 'argv_operators', title, before: JSON.stringify(argv), after: script };
  return { argv: [view.shell, '-c', script], repair };
}
