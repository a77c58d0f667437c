import type { Action } from '../base/action.ts';
import { patchFiles } from './patch-files.ts';

/** What the user said yes to for the rest of a thread. It lives as long as the thread does, and no longer. */
export interface Approvals {
  /** Whether all of it was said yes to. */
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

/** What must have been said yes to, each as a text. Nothing: a yes to it covers one time only. */
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
