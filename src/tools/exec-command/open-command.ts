import type { CommandAction } from '../../base/action.ts';
import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';

/** Starts a command for a tool. The message of a failure begins with the name of the tool. */
export function openCommand(tool: string, action: CommandAction, environment: CallEnvironment): Promise<Terminal> {
  return environment.open(action).catch((error: unknown) => {
    const kind = error instanceof ToolFailure ? error.kind : 'execution';
    throw new ToolFailure(kind, `${tool} failed: ${messageOf(error)}`, { cause: error });
  });
}
