import type { Action } from '../base/action.ts';
import { isReadOnly } from '../shell/is-read-only.ts';
import { splitCommands } from '../shell/split-commands.ts';

/** Reports whether an action may change anything outside the thread. True unless the action is known to only read. */
export function isMutating(action: Action): boolean {
  switch (action.kind) {
    case 'command': {
      const parts = splitCommands(action.argv);
      return !parts?.length || !parts.every(isReadOnly);
    }
    case 'terminal_input':
      return action.chars !== '';
    case 'patch':
      return true;
    case 'mcp':
      return action.hints.readOnly !== true;
    case 'own':
      return action.mutating;
    case 'read':
    case 'search':
    case 'plan':
    case 'mcp_elicitation':
    case 'mcp_sampling':
      return false;
  }
}
