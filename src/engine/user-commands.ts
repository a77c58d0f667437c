import type { CommandAction } from '../base/action.ts';
import { cutMiddle } from '../base/bound-text.ts';
import { messageOf, UserError } from '../base/errors.ts';
import type { CommandItem } from '../base/event.ts';
import type { LogLine, UserCommandLine } from '../base/log.ts';
import type { TurnOverrides } from '../base/turn-overrides.ts';
import { briefItem } from '../events/brief-item.ts';
import type { ThreadState } from './state/thread-state.ts';
import type { Terminals, ThreadSetup, TurnSetup } from './turn-setup.ts';

/** Options of a command of the user. Without settings, the command has those of the running turn or of the agent. */
export interface UserCommandOptions extends Pick<TurnOverrides, 'sandboxMode' | 'networkAccess' | 'writableRoots'> {
  /** Ends the command with all that it started. */
  readonly signal?: AbortSignal;
}

/** The end of a command of the user. */
export interface UserCommandResult {
  /** The command as it was shown last. Its status is `declined` if a rule forbids it. */
  readonly item: CommandItem;
  /** Whether the signal ended the command, or the thread was closed. */
  readonly interrupted: boolean;
}

/** The commands that the user runs in a thread, next to its turns. The model gets them before its next request. */
export interface UserCommands {
  /** Runs a script in the shell of the thread. Throws `UserError` if the script is empty. */
  run(script: string, options: UserCommandOptions): Promise<UserCommandResult>;
  /** Records a line again, once, and runs nothing. For replays. */
  repeat(line: UserCommandLine): Promise<void>;
  /** Ends the running commands, and waits until their ends are on record. */
  close(): Promise<void>;
}

export interface UserCommandParts {
  readonly thread: ThreadSetup;
  readonly terminals: Pick<Terminals, 'began' | 'ended'>;
  /** Returns the id and the settings of the running turn. */
  turn(): { readonly id: string; readonly overrides: TurnOverrides } | null;
  /** Records lines that no turn writes. */
  record(make: () => readonly LogLine[]): Promise<unknown>;
}

export function createUserCommands(parts: UserCommandParts): UserCommands {
  const running = new Map<AbortController, Promise<unknown>>();
  const repeated = new WeakSet<UserCommandLine>();
  return {
    async run(script, options) {
      if (script.trim() === '') throw new UserError('invalid_input', 'The command is empty.');
      options.signal?.throwIfAborted();
      const stop = new AbortController();
      const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
      const ended = runCommand(parts, script, { ...options, signal });
      running.set(stop, ended);
      return ended.finally(() => running.delete(stop));
    },
    async repeat(payload) {
      await parts.record(() => {
        const isNew = !repeated.has(payload);
        repeated.add(payload);
        return isNew ? [{ type: 'oxbow', payload }] : [];
      });
    },
    async close() {
      for (const stop of running.keys()) stop.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** Returns the lines about commands whose process died before their ends were on record. */
export function lostCommands({ commands }: ThreadState, ids: ReadonlySet<string>): readonly UserCommandLine[] {
  return [...commands.values()].flatMap(({ id, turn_id, item, text }): UserCommandLine[] => {
    if (text !== null || !ids.has(id)) return [];
    const end = { ...item, status: 'failed' } as const;
    return [{ kind: 'command.ended', id, turn_id, item: end, text: userCommandText(scriptOf(item), UNKNOWN) }];
  });
}

const UNKNOWN = 'The outcome is unknown: the program that ran the command ended first. It may have had its effect.';

type Limits = UserCommandOptions & { readonly signal: AbortSignal };

async function runCommand(
  { thread, terminals, turn, record }: UserCommandParts,
  script: string,
  { signal, ...limits }: Limits,
): Promise<UserCommandResult> {
  const current = turn();
  const turnId = current?.id ?? null;
  const setup = await thread.userSetup({ ...current?.overrides, ...limits });
  const id = `cmd_${thread.world.uuid()}`;
  const action = actionOf(setup, script);
  const begun: CommandItem = { ...itemOf(id, action), by: 'user' };
  const note = (kind: UserCommandLine['kind'], item: CommandItem, text?: string) => {
    const told = text === undefined ? {} : { text };
    const payload = { kind, id, turn_id: turnId, item: briefItem(item) as CommandItem, ...told };
    return record(() => [{ type: 'oxbow', payload }]);
  };
  const end = async (item: CommandItem, text?: string) => {
    await note('command.ended', item, text);
    thread.emit({ type: 'item.completed', item }, turnId);
    if (turn() === null) thread.environment.rest();
    return { item, interrupted: signal.aborted };
  };

  const judge = await setup.judge();
  const decision = judge.decide(action, await judge.distrust(action));
  if (decision.type === 'deny') {
    const reason = { cause: decision.cause, message: decision.reason };
    return end({ ...begun, status: 'declined', reason });
  }
  signal.throwIfAborted();
  await note('command.started', begun);
  thread.emit({ type: 'item.started', item: begun }, turnId);
  const item = await endOf(thread, { setup, terminals, action, begun, turnId, signal, sandboxed: decision.sandboxed });
  return end(item, userCommandText(script, resultText(item, setup, signal.aborted)));
}

interface Running extends Pick<UserCommandParts, 'terminals'> {
  readonly setup: TurnSetup;
  readonly action: CommandAction;
  readonly begun: CommandItem;
  readonly turnId: string | null;
  readonly signal: AbortSignal;
  readonly sandboxed: boolean;
}

/** Runs a command to its end and returns it. A command that cannot be started has failed. */
async function endOf(thread: ThreadSetup, running: Running): Promise<CommandItem> {
  const { setup, terminals, action, begun, turnId, signal, sandboxed } = running;
  const kept = thread.outputs?.begin(begun.id);
  const judge = await setup.judge();
  try {
    let exited = (_: CommandItem) => {};
    const item = new Promise<CommandItem>((resolve) => {
      exited = resolve;
    });
    const terminal = await thread.environment.open(action, {
      callId: begun.id,
      policy: setup.policy.sandbox,
      sandboxed,
      onOutput: (text) => thread.emit({ type: 'command.output', itemId: begun.id, text }, turnId),
      ...(kept && { onBytes: kept.write }),
      onExit({ exitCode, durationMs, output }) {
        kept?.end(output);
        const status = exitCode === 0 ? 'completed' : 'failed';
        const reason = sandboxed && !signal.aborted ? judge.suspect(exitCode, output) : undefined;
        exited({ ...begun, output, exitCode, durationMs, status, ...(reason ? { reason } : {}) });
      },
    });
    terminals.began(begun.id, terminal);
    judge.opened(terminal.id, sandboxed ? 'inside' : 'asked');
    const kill = () => void terminal.kill().catch(() => {});
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill, { once: true });
    const ended = await item;
    terminals.ended(begun.id);
    signal.removeEventListener('abort', kill);
    // A terminal that was read to its end is forgotten.
    await terminal.collect(0, new AbortController().signal);
    return ended;
  } catch (error) {
    return { ...begun, output: messageOf(error), status: 'failed' };
  }
}

function actionOf({ view }: TurnSetup, script: string): CommandAction {
  const argv = [view.shell, '-c', script];
  return { kind: 'command', argv, cwd: view.cwd, login: view.loginShell ?? true, escalate: false, yieldMs: 0 };
}

function itemOf(id: string, { argv, cwd }: CommandAction): CommandItem {
  return { type: 'command', id, argv, cwd, output: '', exitCode: null, durationMs: null, status: 'running' };
}

const scriptOf = ({ argv }: CommandItem) => argv.at(-1) ?? '';

function resultText({ exitCode, durationMs, output }: CommandItem, { textLimit }: TurnSetup, stopped: boolean): string {
  return [
    `Exit code: ${exitCode ?? -1}`,
    `Duration: ${((durationMs ?? 0) / 1000).toFixed(4)} seconds`,
    ...(stopped ? ['The user interrupted the command.'] : []),
    'Output:',
    cutMiddle(output, textLimit),
  ].join('\n');
}

/** Returns the text that tells the model of a command, in the form of Codex. */
function userCommandText(script: string, result: string): string {
  return `<user_shell_command>
<command>
${script}
</command>
<result>
${result}
</result>
</user_shell_command>`;
}
