import type { Action, CommandAction, PlanAction, SearchAction } from '../../base/action.ts';
import { cutMiddle } from '../../base/bound-text.ts';
import type { CallEnvironment, Collected, Terminal } from '../../base/environment.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { CommandItem, ItemReason, RunningTerminal, WebSearchItem } from '../../base/event.ts';
import type { CallItem, Output } from '../../base/item.ts';
import type { OutputMetadata } from '../../base/log.ts';
import { ITEM_TEXT } from '../../events/brief-item.ts';
import { begunCall, endedCall, withArguments, withMcp } from '../../events/call-item.ts';
import type { Judge } from '../../policy/judge.ts';
import { noteItem, recordItem } from '../state/note-item.ts';
import { createSerialQueue } from '../state/serial-queue.ts';
import type { Turn } from '../turn-setup.ts';
import { elicit } from './elicit.ts';
import { changeFiles, showDeclinedPatch } from './patch-item.ts';
import type { Permit } from './permit.ts';
import { sampleForServer } from './sample-for-server.ts';

/** The run of one call. It shows the effects of the call, and can stop them. */
export interface CallRun {
  /** Returns the environment for the tool, inside the sandbox or, if approved, outside. */
  environmentFor(permit: Permit, judge: Judge): CallEnvironment;
  /** Reports whether the sandbox probably made a command of this call fail. */
  wasDenied(): boolean;
  /** Shows an action that may not happen. Returns the failure to throw. */
  declined(action: Action, reason: ItemReason): Promise<ToolFailure>;
  /** Ends everything that this call started, and waits until it is gone. */
  stop(): Promise<void>;
  /**
   * Shows the start of an action that has no item of its own kind. `replaced` are arguments that a hook put in the place
   * of the model's.
   */
  begin(action: Action, replaced?: string): void;
  /** Shows the end of a call that was not shown as an item of another kind. */
  finish(output: Output, metadata: OutputMetadata): void;
}

export function createCallRun(turn: Turn, item: CallItem): CallRun {
  const callId = item.call_id;
  let begun = begunCall(item);
  const opened: OpenedTerminal[] = [];
  const writes: Promise<void>[] = [];
  let shown = 0;
  const hints: string[] = [];

  const parts: CallParts = {
    turn,
    callId,
    // A repeated command is another item.
    nextId: () => (shown++ === 0 ? callId : `${callId} ${shown}`),
    opened: (one) => opened.push(one),
    written: (written) => writes.push(written),
    explain: (terminal, judge, note) =>
      explainedTerminal(terminal, { judge, note, onDenied: (hint) => hints.push(hint) }),
  };
  return {
    wasDenied: () => hints.length > 0,
    environmentFor: (permit, judge) => createEnvironment(parts, permit, judge),
    async declined(action, reason) {
      const { nextId } = parts;
      if (action.kind === 'command')
        showCommand(turn, action, { ...commandItem(nextId(), action), status: 'declined', reason }, callId);
      if (action.kind === 'patch' && action.changes.length > 0)
        await showDeclinedPatch(turn, action, { id: nextId(), callId, reason });
      return new ToolFailure('permission', reason.message);
    },
    async stop() {
      await Promise.all([...opened.map(({ terminal }) => terminal.kill()), Promise.allSettled(writes)]);
    },
    begin(action, replaced) {
      if (action.kind === 'mcp') begun = withMcp(begun, action);
      if (replaced !== undefined) begun = withArguments(begun, replaced);
      if (!SHOWN_BY_THEMSELVES.has(action.kind)) turn.emit({ type: 'item.started', item: begun });
    },
    finish(output, metadata) {
      if (shown === 0) turn.emit({ type: 'item.completed', item: endedCall(begun, output, metadata) });
      for (const { facts, terminal, isRunning } of opened) if (isRunning()) turn.terminals.add(facts, terminal);
    },
  };
}

/** Kinds of actions that are shown as items of their own kind. */
const SHOWN_BY_THEMSELVES: ReadonlySet<Action['kind']> = new Set(['command', 'patch', 'plan', 'search']);

/** The parts of a call that its environment works with. */
interface CallParts {
  readonly turn: Turn;
  readonly callId: string;
  /** Returns the id of the next item that shows an effect of the call. */
  nextId(): string;
  opened(one: OpenedTerminal): void;
  written(written: Promise<void>): void;
  explain(terminal: Terminal, judge: Judge, note: string): Terminal;
}

/** A terminal that a call has opened. */
interface OpenedTerminal {
  readonly facts: RunningTerminal;
  readonly terminal: Terminal;
  isRunning(): boolean;
}

function createEnvironment(parts: CallParts, permit: Permit, judge: Judge): CallEnvironment {
  const { turn, callId, nextId, explain } = parts;
  const { id: threadId, environment, world } = turn.thread;
  const { textLimit, policy, view } = turn.setup;
  const files = environment.files(policy.sandbox);
  // A call has one open question at a time, also when its server asks several at once.
  const oneByOne = createSerialQueue();
  return {
    signal: turn.signal,
    threadId,
    callId,
    context: view.context,
    textLimit,
    chunkId: () => sixDigits(world.random()),
    open: (action) => openTerminal(parts, action, permit, judge),
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
    progress: (text) => turn.emit({ type: 'call.progress', callId, text: cutMiddle(text, ITEM_TEXT) }),
    warn: (message) => turn.emit({ type: 'warning', code: 'callback', message }),
    ...(turn.thread.ask && {
      elicit: (asked, signal) =>
        oneByOne(() =>
          elicit(turn, judge, { call: { callId }, action: { kind: 'mcp_elicitation', ...asked }, signal }),
        ),
    }),
    sample: (asked, signal) =>
      oneByOne(() =>
        sampleForServer(turn, judge, { call: { callId }, action: { kind: 'mcp_sampling', ...asked }, signal }),
      ),
    showPlan(plan) {
      nextId();
      showPlan(turn, plan, callId);
    },
  };
}

async function openTerminal(parts: CallParts, action: CommandAction, permit: Permit, judge: Judge): Promise<Terminal> {
  const { turn, callId, nextId, explain } = parts;
  const opened = await openCommand(turn, action, { id: nextId(), callId, permit, judge });
  const { terminal } = opened;
  judge.opened(terminal.id, permit.standing);
  parts.opened(opened);
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

interface OpenCommandOptions {
  /** Id of the item. */
  readonly id: string;
  readonly callId: string;
  readonly permit: Permit;
  readonly judge: Judge;
}

/** Starts a command, and shows it from its beginning to its end. Throws errors of the environment. */
async function openCommand(
  turn: Turn,
  action: CommandAction,
  { id, callId, permit, judge }: OpenCommandOptions,
): Promise<OpenedTerminal> {
  const item = commandItem(id, action);
  const { terminals } = turn;
  const startedAt = turn.thread.world.now();
  const kept = turn.thread.outputs?.begin(id);
  let isRunning = true;
  let number: number | undefined;
  const show = (next: CommandItem) => showCommand(turn, permit.action, next, callId);
  show(item);
  try {
    const terminal = await turn.thread.environment.open(action, {
      callId,
      policy: turn.setup.policy.sandbox,
      sandboxed: permit.sandboxed,
      onOutput(text) {
        if (permit.action.kind !== 'search') turn.emit({ type: 'command.output', itemId: id, text });
      },
      ...(kept && { onBytes: kept.write }),
      onExit({ exitCode, durationMs, output }) {
        const status = exitCode === 0 ? 'completed' : 'failed';
        const reason = permit.sandboxed ? judge.suspect(exitCode, output) : undefined;
        isRunning = false;
        kept?.end(output);
        terminals.ended(id);
        show({ ...item, output, exitCode, durationMs, status, ...(reason ? { reason } : {}) });
        if (number !== undefined) terminals.remove(number);
      },
    });
    number = terminal.id;
    if (isRunning) terminals.began(id, terminal);
    const sandboxed = permit.sandboxed && turn.setup.policy.sandbox.mode !== 'danger-full-access';
    const facts = { id: number, itemId: id, argv: action.argv, cwd: action.cwd, startedAt, sandboxed };
    return { facts, terminal, isRunning: () => isRunning };
  } catch (error) {
    show({ ...item, output: messageOf(error), status: 'failed' });
    throw error;
  }
}

function commandItem(id: string, { argv, cwd }: CommandAction): CommandItem {
  return { type: 'command', id, argv, cwd, output: '', exitCode: null, durationMs: null, status: 'running' };
}

/** Shows a command. The command of a search is shown as a search, because people care about its query. */
function showCommand(turn: Turn, action: Action, item: CommandItem, callId: string): void {
  const shown = action.kind === 'search' ? searchItem(item, action) : item;
  if (item.status === 'running') turn.emit({ type: 'item.started', item: shown });
  else noteItem(turn, shown, callId);
}

function searchItem({ id, status }: CommandItem, { query }: SearchAction): WebSearchItem {
  return { type: 'web_search', id, query, status: status === 'declined' ? 'failed' : status };
}

interface FailureExplanation {
  readonly judge: Judge;
  /** Text before the first output. */
  readonly note: string;
  /** Called when the sandbox probably made the command fail. */
  onDenied(hint: string): void;
}

/** Returns a terminal whose last output adds a hint if the sandbox probably made the command fail. */
function explainedTerminal(terminal: Terminal, { judge, note, onDenied }: FailureExplanation): Terminal {
  let start = note;
  return {
    id: terminal.id,
    write: (chars) => terminal.write(chars),
    resize: (size) => terminal.resize(size),
    kill: () => terminal.kill(),
    async collect(yieldMs, signal) {
      const collected = await terminal.collect(yieldMs, signal);
      const hint = hintFor(terminal.id, collected, judge);
      if (hint !== undefined) onDenied(hint);
      const text = `${start}${collected.text}${hint === undefined ? '' : newLineAfter(collected.text) + hint}`;
      start = '';
      return { ...collected, text };
    },
  };
}

function hintFor(terminalId: number, { exitCode, text }: Collected, judge: Judge): string | undefined {
  if (exitCode === null || judge.standing(terminalId) !== 'inside') return undefined;
  return judge.explainDenial(exitCode, text);
}

const newLineAfter = (text: string) => (text === '' || text.endsWith('\n') ? '' : '\n');

/** Returns the note for the model about a command that the user changed. */
function editNote({ argv, cwd }: CommandAction): string {
  return `The user changed this command before it ran. What ran in ${cwd}: ${JSON.stringify(argv)}\n`;
}
