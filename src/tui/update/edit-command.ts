import type { Action } from '../../base/action.ts';

/** Returns the script of a command that a shell reads, which is the part that people read and edit. */
export function scriptOf(action: Action): string | undefined {
  if (action.kind !== 'command' || action.argv.length !== 3) return undefined;
  const [, option, script] = action.argv;
  return option === '-c' || option === '-lc' ? script : undefined;
}

/** Returns a command with another script. The model proposed a prefix for its own script only. */
export function editOf(action: Action, script: string): Action {
  if (action.kind !== 'command') return action;
  const { prefixRule: _, ...rest } = action;
  return { ...rest, argv: [...action.argv.slice(0, 2), script] };
}
