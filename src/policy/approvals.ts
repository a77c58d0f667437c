import type { Action } from '../base/action.ts';
import { patchFiles } from './patch-files.ts';

/** Actions that the user approved for the rest of a thread. They are forgotten when the thread ends. */
export interface Approvals {
  /** Reports whether every part of an action was approved. */
  covers(action: Action): boolean;
  add(action: Action): void;
}

export function createApprovals(): Approvals {
  const known = new Set<string>();
  return {
    covers(action) {
      const keys = keysOf(action);
      return keys.length > 0 && keys.every((key) => known.has(key));
    },
    add(action) {
      for (const key of keysOf(action)) known.add(key);
    },
  };
}

/** Returns a text for each part of an action that must have been approved. None: an approval covers one call only. */
function keysOf(action: Action): string[] {
  switch (action.kind) {
    case 'command': {
      const { argv, cwd, login, escalate } = action;
      return [JSON.stringify(['command', argv, cwd, login, escalate])];
    }
    case 'patch':
      return patchFiles(action).map((path) => JSON.stringify(['file', path]));
    case 'mcp':
      return [JSON.stringify(['mcp', action.server, action.tool])];
    case 'own':
      return [JSON.stringify(['own', action.tool])];
    default:
      return [];
  }
}
