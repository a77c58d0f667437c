import type { Action, CommandAction, PlanAction } from '../base/action.ts';
import type { Hands, Terminal } from '../base/environment.ts';
import { messageOf, ToolFailure } from '../base/errors.ts';
import type { CommandItem } from '../base/event.ts';
import type { ToolCall, ToolResult } from '../base/tool.ts';
import type { Turn } from './turn-setup.ts';

/** The hands of one call: what they do is reported, and they can be stopped. */
export interface CallHands {
  /** What the tool gets, inside the sandbox or, approved, outside. */
  under(sandboxed: boolean): Hands;
  /** Reports an action that may not happen, and gives the failure to throw. */
  declined(action: Action, reason: string): ToolFailure;
  /** Ends what this call started and waits until it is gone. */
  stop(): Promise<void>;
  /** Reports the end of a call that was not shown as a command. */
  finish(result: ToolResult, durationMs: number): void;
}

export function createHands(turn: Turn, call: ToolCall): CallHands {
  const { environment, world, textLimit } = turn.setup;
  const opened: Terminal[] = [];
  let shown = false;

  const show = (item: CommandItem) => {
    turn.emit({ type: item.status === 'running' ? 'item.started' : 'item.completed', item });
    shown = true;
  };

  async function open(action: CommandAction, sandboxed: boolean): Promise<Terminal> {
    const item = commandItem(call, action);
    show(item);
    try {
      const terminal = await environment.open(action, {
        callId: call.callId,
        sandboxed,
        onOutput: (text) => turn.emit({ type: 'command.output', itemId: call.callId, text }),
        onExit: ({ exitCode, durationMs, output }) =>
          show({ ...item, output, exitCode, durationMs, status: exitCode === 0 ? 'completed' : 'failed' }),
      });
      opened.push(terminal);
      if (turn.signal.aborted) await terminal.kill();
      return terminal;
    } catch (error) {
      show({ ...item, output: messageOf(error), status: 'failed' });
      throw error;
    }
  }

  return {
    under: (sandboxed) => ({
      signal: turn.signal,
      textLimit,
      chunkId: () =>
        Math.floor(world.random() * 0x1000000)
          .toString(16)
          .padStart(6, '0'),
      open: (action) => open(action, sandboxed),
      terminal: (id) => environment.terminal(id),
      showPlan: (plan) => showPlan(turn, plan),
    }),
    declined(action, reason) {
      if (action.kind === 'command') show({ ...commandItem(call, action), status: 'declined' });
      return new ToolFailure('permission', reason);
    },
    async stop() {
      await Promise.all(opened.map((terminal) => terminal.kill()));
    },
    finish(result, durationMs) {
      if (!shown) turn.emit({ type: 'item.completed', item: toolCallItem(call, result, durationMs) });
    },
  };
}

function showPlan(turn: Turn, { explanation, steps }: PlanAction): void {
  const type = turn.plan ? 'item.updated' : 'item.started';
  turn.plan = { type: 'plan', id: `plan ${turn.id}`, explanation: explanation ?? null, steps };
  turn.emit({ type, item: turn.plan });
}

function commandItem(call: ToolCall, { argv, cwd }: CommandAction): CommandItem {
  return {
    type: 'command',
    id: call.callId,
    argv,
    cwd,
    output: '',
    exitCode: null,
    durationMs: null,
    status: 'running',
  };
}

function toolCallItem({ callId, name }: ToolCall, { success, failure }: ToolResult, durationMs: number) {
  const status = success ? 'completed' : 'failed';
  return { type: 'tool_call', id: callId, name, status, durationMs, failure: failure ?? null } as const;
}
