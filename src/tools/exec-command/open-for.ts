import type { CommandAction } from '../../base/action.ts';
import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';

/** Starts a command for a tool, whose name a failure begins with. */
export function openFor(tool: string, action: CommandAction, environment: CallEnvironment): Promise<Terminal> {
  return environment.open(action).catch((error: unknown) => {
    const kind = error instanceof ToolFailure ? error.kind : 'execution';
    throw new ToolFailure(kind, `${tool} failed: ${messageOf(error)}`, { cause: error });
  });
}
