import type { Action, CommandAction, PatchAction, PlanAction } from '../base/action.ts';
import type { Hands, Terminal } from '../base/environment.ts';
import { ToolFailure } from '../base/errors.ts';
import type { ToolCall, ToolResult } from '../base/tool.ts';
import type { Judge } from '../policy/judge.ts';
import { editNote, explainedTerminal } from './explained-terminal.ts';
import { openShown, showDeclinedCommand } from './open-shown.ts';
import type { Permit } from './permit.ts';
import { changeFiles, showDeclined } from './show-patch.ts';
import type { Turn } from './turn-setup.ts';

/** The hands of one call: what they do is reported, and they can be stopped. */
export interface CallHands {
  /** What the tool gets, inside the sandbox or, approved, outside. */
  under(permit: Permit, judge: Judge): Hands;
  /** Whether a command of this call ended badly because of the sandbox, as far as one can tell. */
  denied(): boolean;
  /** Reports an action that may not happen, and gives the failure to throw. */
  declined(action: Action, reason: string): Promise<ToolFailure>;
  /** Ends what this call started and waits until it is gone. */
  stop(): Promise<void>;
  /** Reports the end of a call that was not shown as what it does. */
  finish(result: ToolResult, durationMs: number): void;
}

export function createHands(turn: Turn, call: ToolCall): CallHands {
  const { environment, world } = turn.thread;
  const { textLimit, policy } = turn.setup;
  const files = environment.files(policy.sandbox);
  const opened: Terminal[] = [];
  const writes: Promise<void>[] = [];
  let shown = 0;
  const hints: string[] = [];

  /** A command that is repeated is another item. */
  const nextId = () => (shown++ === 0 ? call.callId : `${call.callId} ${shown}`);
  const explain = (terminal: Terminal, judge: Judge, note: string) =>
    explainedTerminal(terminal, { judge, note, onDenied: (hint) => hints.push(hint) });

  async function open(action: CommandAction, permit: Permit, judge: Judge): Promise<Terminal> {
    const terminal = await openShown(turn, action, { id: nextId(), callId: call.callId, permit });
    judge.opened(terminal.id, permit.standing);
    opened.push(terminal);
    if (turn.signal.aborted) await terminal.kill();
    return explain(terminal, judge, permit.edited ? editNote(action) : '');
  }

  function change(action: PatchAction, { sandboxed }: Permit): Promise<void> {
    const write = () => files.change(action.changes, { sandboxed });
    const written = changeFiles(turn, action, { id: nextId(), write });
    writes.push(written);
    return written;
  }

  return {
    denied: () => hints.length > 0,
    under: (permit, judge) => ({
      signal: turn.signal,
      threadId: turn.thread.id,
      callId: call.callId,
      textLimit,
      chunkId: () => sixDigits(world.random()),
      open: (action) => open(action, permit, judge),
      terminal(id) {
        const terminal = environment.terminal(id);
        return terminal && explain(terminal, judge, '');
      },
      read: (path) => files.read(path),
      change: (action) => change(action, permit),
      progress: (text) => turn.emit({ type: 'call.progress', callId: call.callId, text }),
      showPlan: (plan) => showPlan(turn, plan),
    }),
    async declined(action, reason) {
      if (action.kind === 'command') showDeclinedCommand(turn, nextId(), action);
      if (action.kind === 'patch' && action.changes.length > 0) await showDeclined(turn, nextId(), action);
      return new ToolFailure('permission', reason);
    },
    async stop() {
      await Promise.all([...opened.map((terminal) => terminal.kill()), Promise.allSettled(writes)]);
    },
    finish(result, durationMs) {
      if (shown === 0) turn.emit({ type: 'item.completed', item: toolCallItem(call, result, durationMs) });
    },
  };
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

function toolCallItem({ callId, name }: ToolCall, { success, failure }: ToolResult, durationMs: number) {
  const status = success ? 'completed' : 'failed';
  return { type: 'tool_call', id: callId, name, status, durationMs, failure: failure ?? null } as const;
}
