import type { Action, CommandAction, PlanAction } from '../base/action.ts';
import type { Hands, Terminal } from '../base/environment.ts';
import { messageOf, ToolFailure } from '../base/errors.ts';
import type { CommandItem } from '../base/event.ts';
import type { ToolCall, ToolResult } from '../base/tool.ts';
import type { Judge } from '../policy/judge.ts';
import { editNote, explainedTerminal } from './explained-terminal.ts';
import type { Permit } from './permit.ts';
import type { Turn } from './turn-setup.ts';

/** The hands of one call: what they do is reported, and they can be stopped. */
export interface CallHands {
  /** What the tool gets, inside the sandbox or, approved, outside. */
  under(permit: Permit, judge: Judge): Hands;
  /** Whether a command of this call ended badly because of the sandbox, as far as one can tell. */
  denied(): boolean;
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
  let shown = 0;
  const hints: string[] = [];

  const show = (item: CommandItem) => showCommand(turn, item);
  /** A command that is repeated is another item. */
  const nextId = () => (shown++ === 0 ? call.callId : `${call.callId} ${shown}`);
  const explain = (terminal: Terminal, judge: Judge, note: string) =>
    explainedTerminal(terminal, { judge, note, onDenied: (hint) => hints.push(hint) });

  async function open(action: CommandAction, permit: Permit, judge: Judge): Promise<Terminal> {
    const item = commandItem(nextId(), action);
    show(item);
    try {
      const terminal = await environment.open(action, {
        callId: call.callId,
        sandboxed: permit.sandboxed,
        onOutput: (text) => turn.emit({ type: 'command.output', itemId: item.id, text }),
        onExit: ({ exitCode, durationMs, output }) =>
          show({ ...item, output, exitCode, durationMs, status: exitCode === 0 ? 'completed' : 'failed' }),
      });
      judge.opened(terminal.id, permit.standing);
      opened.push(terminal);
      if (turn.signal.aborted) await terminal.kill();
      return explain(terminal, judge, permit.edited ? editNote(action) : '');
    } catch (error) {
      show({ ...item, output: messageOf(error), status: 'failed' });
      throw error;
    }
  }

  return {
    denied: () => hints.length > 0,
    under: (permit, judge) => ({
      signal: turn.signal,
      textLimit,
      chunkId: () => sixDigits(world.random()),
      open: (action) => open(action, permit, judge),
      terminal(id) {
        const terminal = environment.terminal(id);
        return terminal && explain(terminal, judge, '');
      },
      showPlan: (plan) => showPlan(turn, plan),
    }),
    declined(action, reason) {
      if (action.kind === 'command') show({ ...commandItem(nextId(), action), status: 'declined' });
      return new ToolFailure('permission', reason);
    },
    async stop() {
      await Promise.all(opened.map((terminal) => terminal.kill()));
    },
    finish(result, durationMs) {
      if (shown === 0) turn.emit({ type: 'item.completed', item: toolCallItem(call, result, durationMs) });
    },
  };
}

function showCommand(turn: Turn, item: CommandItem): void {
  turn.emit({ type: item.status === 'running' ? 'item.started' : 'item.completed', item });
}

function sixDigits(chance: number): string {
  return Math.floor(chance * 0x1000000)
    .toString(16)
    .padStart(6, '0');
}

function showPlan(turn: Turn, { explanation, steps }: PlanAction): void {
  const type = turn.plan ? 'item.updated' : 'item.started';
  turn.plan = { type: 'plan', id: `plan ${turn.id}`, explanation: explanation ?? null, steps };
  turn.emit({ type, item: turn.plan });
}

function commandItem(id: string, { argv, cwd }: CommandAction): CommandItem {
  return { type: 'command', id, argv, cwd, output: '', exitCode: null, durationMs: null, status: 'running' };
}

function toolCallItem({ callId, name }: ToolCall, { success, failure }: ToolResult, durationMs: number) {
  const status = success ? 'completed' : 'failed';
  return { type: 'tool_call', id: callId, name, status, durationMs, failure: failure ?? null } as const;
}
