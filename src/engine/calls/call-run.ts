import type { Action, CommandAction, PlanAction } from '../../base/action.ts';
import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { CallItem, Output } from '../../base/item.ts';
import type { OutputMetadata } from '../../base/log.ts';
import { begunCall, endedCall } from '../../events/call-item.ts';
import type { Judge } from '../../policy/judge.ts';
import { recordItem } from '../state/note-item.ts';
import type { Turn } from '../turn-setup.ts';
import { openCommand, showDeclinedCommand } from './command-item.ts';
import { editNote, explainedTerminal } from './explained-terminal.ts';
import { changeFiles, showDeclinedPatch } from './patch-item.ts';
import type { Permit } from './permit.ts';

/** The hands of one call: what they do is reported, and they can be stopped. */
export interface CallRun {
  /** What the tool gets, inside the sandbox or, approved, outside. */
  under(permit: Permit, judge: Judge): CallEnvironment;
  /** Whether a command of this call ended badly because of the sandbox, as far as one can tell. */
  denied(): boolean;
  /** Reports an action that may not happen, and gives the failure to throw. */
  declined(action: Action, reason: string): Promise<ToolFailure>;
  /** Ends what this call started and waits until it is gone. */
  stop(): Promise<void>;
  /** Shows that an action begins, unless it shows itself. */
  begin(action: Action): void;
  /** Shows the end of a call that was not shown as what it does. */
  finish(output: Output, metadata: OutputMetadata): void;
}

export function createCallRun(turn: Turn, item: CallItem): CallRun {
  const callId = item.call_id;
  const begun = begunCall(item);
  const opened: Terminal[] = [];
  const writes: Promise<void>[] = [];
  let shown = 0;
  const hints: string[] = [];

  const parts: CallParts = {
    turn,
    callId,
    // A command that is repeated is another item.
    nextId: () => (shown++ === 0 ? callId : `${callId} ${shown}`),
    opened: (terminal) => opened.push(terminal),
    written: (written) => writes.push(written),
    explain: (terminal, judge, note) =>
      explainedTerminal(terminal, { judge, note, onDenied: (hint) => hints.push(hint) }),
  };
  return {
    denied: () => hints.length > 0,
    under: (permit, judge) => environmentUnder(parts, permit, judge),
    async declined(action, reason) {
      const { nextId } = parts;
      if (action.kind === 'command') showDeclinedCommand(turn, nextId(), action, callId);
      if (action.kind === 'patch' && action.changes.length > 0) await showDeclinedPatch(turn, nextId(), action, callId);
      return new ToolFailure('permission', reason);
    },
    async stop() {
      await Promise.all([...opened.map((terminal) => terminal.kill()), Promise.allSettled(writes)]);
    },
    begin({ kind }) {
      if (!SHOWN_BY_THEMSELVES.has(kind)) turn.emit({ type: 'item.started', item: begun });
    },
    finish(output, metadata) {
      if (shown === 0) turn.emit({ type: 'item.completed', item: endedCall(begun, output, metadata) });
    },
  };
}

/** Actions that are items of their own kind. */
const SHOWN_BY_THEMSELVES: ReadonlySet<Action['kind']> = new Set(['command', 'patch', 'plan', 'search']);

/** The parts of a call that its hands work with. */
interface CallParts {
  readonly turn: Turn;
  readonly callId: string;
  /** Returns the id of the next item that shows the call as what it does. */
  nextId(): string;
  opened(terminal: Terminal): void;
  written(written: Promise<void>): void;
  explain(terminal: Terminal, judge: Judge, note: string): Terminal;
}

function environmentUnder(parts: CallParts, permit: Permit, judge: Judge): CallEnvironment {
  const { turn, callId, nextId, explain } = parts;
  const { id: threadId, environment, world } = turn.thread;
  const { textLimit, policy } = turn.setup;
  const files = environment.files(policy.sandbox);
  return {
    signal: turn.signal,
    threadId,
    callId,
    textLimit,
    chunkId: () => sixDigits(world.random()),
    open: (action) => open(parts, action, permit, judge),
    terminal(id) {
      const terminal = environment.terminal(id);
      return terminal && explain(terminal, judge, '');
    },
    read: (path) => files.read(path),
    change(action) {
      const write = () => files.change(action.changes, { sandboxed: permit.sandboxed });
      const written = changeFiles(turn, action, { id: nextId(), callId, write });
      parts.written(written);
      return written;
    },
    progress: (text) => turn.emit({ type: 'call.progress', callId, text }),
    showPlan(plan) {
      nextId();
      showPlan(turn, plan, callId);
    },
  };
}

async function open(parts: CallParts, action: CommandAction, permit: Permit, judge: Judge): Promise<Terminal> {
  const { turn, callId, nextId, explain } = parts;
  const terminal = await openCommand(turn, action, { id: nextId(), callId, permit });
  judge.opened(terminal.id, permit.standing);
  parts.opened(terminal);
  if (turn.signal.aborted) await terminal.kill();
  return explain(terminal, judge, permit.edited ? editNote(action) : '');
}

function sixDigits(chance: number): string {
  return Math.floor(chance * 0x1000000)
    .toString(16)
    .padStart(6, '0');
}

function showPlan(turn: Turn, { explanation, steps }: PlanAction, callId: string): void {
  const type = turn.plan ? 'item.updated' : 'item.started';
  turn.plan = { type: 'plan', id: `plan ${turn.id}`, explanation: explanation ?? null, steps };
  recordItem(turn, turn.plan, callId);
  turn.emit({ type, item: turn.plan });
}
