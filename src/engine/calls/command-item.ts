import type { Action, CommandAction, SearchAction } from '../../base/action.ts';
import type { Terminal } from '../../base/environment.ts';
import { messageOf } from '../../base/errors.ts';
import type { CommandItem, WebSearchItem } from '../../base/event.ts';
import { noteItem } from '../state/note-item.ts';
import type { Turn } from '../turn-setup.ts';
import type { Permit } from './permit.ts';

export interface OpenCommandOptions {
  /** Of the item. */
  readonly id: string;
  readonly callId: string;
  readonly permit: Permit;
}

/** Starts a command, and shows it from its beginning to its end. Throws what the environment throws. */
export async function openCommand(
  turn: Turn,
  action: CommandAction,
  { id, callId, permit }: OpenCommandOptions,
): Promise<Terminal> {
  const item = commandItem(id, action);
  const show = (next: CommandItem) => showCommand(turn, permit.action, next, callId);
  show(item);
  try {
    return await turn.thread.environment.open(action, {
      callId,
      policy: turn.setup.policy.sandbox,
      sandboxed: permit.sandboxed,
      onOutput(text) {
        if (permit.action.kind !== 'search') turn.emit({ type: 'command.output', itemId: id, text });
      },
      onExit: ({ exitCode, durationMs, output }) =>
        show({ ...item, output, exitCode, durationMs, status: exitCode === 0 ? 'completed' : 'failed' }),
    });
  } catch (error) {
    show({ ...item, output: messageOf(error), status: 'failed' });
    throw error;
  }
}

/** Shows a command that may not run. */
export function showDeclinedCommand(turn: Turn, id: string, action: CommandAction, callId: string): void {
  showCommand(turn, action, { ...commandItem(id, action), status: 'declined' }, callId);
}

function commandItem(id: string, { argv, cwd }: CommandAction): CommandItem {
  return { type: 'command', id, argv, cwd, output: '', exitCode: null, durationMs: null, status: 'running' };
}

/** Of a search people want to see what was searched for, not by which command. */
function showCommand(turn: Turn, action: Action, item: CommandItem, callId: string): void {
  const shown = action.kind === 'search' ? searchItem(item, action) : item;
  if (item.status === 'running') turn.emit({ type: 'item.started', item: shown });
  else noteItem(turn, shown, callId);
}

function searchItem({ id, status }: CommandItem, { query }: SearchAction): WebSearchItem {
  return { type: 'web_search', id, query, status: status === 'declined' ? 'failed' : status };
}
