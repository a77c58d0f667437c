import type { Action } from '../../base/action.ts';
import type { HookContext, HookedCall } from '../../base/call-hooks.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { Tool, ToolCall, ToolPayload, ToolResult } from '../../base/tool.ts';
import type { Turn } from '../turn-setup.ts';

/** A call with its plan. */
export interface PlannedCall {
  readonly call: ToolCall;
  readonly action: Action;
  /** Arguments that a hook put in the place of the model's, as text. */
  readonly replaced: string | undefined;
  /** Reason of a hook not to run the call. */
  readonly denied: string | undefined;
}

/** Plans a call. Hooks may deny it, or replace its arguments, which are planned again. Throws `ToolFailure`. */
export async function planCall(turn: Turn, tool: Tool, given: ToolCall): Promise<PlannedCall> {
  const { view } = turn.setup;
  let planned: PlannedCall = {
    call: given,
    action: await tool.plan(given, view),
    replaced: undefined,
    denied: undefined,
  };
  for (const { before } of turn.thread.hooks ?? []) {
    const answer = await before(hookedCall(turn, planned), contextOf(turn));
    if (answer === undefined) continue;
    if ('deny' in answer) return { ...planned, denied: answer.deny };
    const call = withArguments(planned.call, answer.args);
    const action = await tool.plan(call, view).catch((error) => refusedArguments(turn, error));
    planned = { call, action, replaced: argumentsText(call.payload), denied: undefined };
  }
  return planned;
}

/** Runs a call that was planned. Hooks may replace its result, or the one that `onFailure` makes of an error. */
export async function runHooked(
  turn: Turn,
  planned: PlannedCall,
  run: () => Promise<ToolResult>,
  onFailure: (error: unknown) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { hooks = [] } = turn.thread;
  if (hooks.length === 0) return run();
  let result = await run().catch((error) => {
    turn.signal.throwIfAborted();
    return onFailure(error);
  });
  for (const { after } of hooks.toReversed()) result = await after(hookedCall(turn, planned), result, contextOf(turn));
  return result;
}

function contextOf({ signal, setup }: Turn): HookContext {
  return { signal, context: setup.view.context };
}

function hookedCall({ id: turnId, thread }: Turn, { call, action }: PlannedCall): HookedCall {
  const { callId, name, namespace, payload } = call;
  const named = namespace === undefined ? { name } : { name, namespace };
  return { threadId: thread.id, turnId, callId, ...named, args: argumentsOf(payload), action };
}

function argumentsOf(payload: ToolPayload): unknown {
  if (payload.kind === 'function') return JSON.parse(payload.arguments);
  return payload.kind === 'custom' ? payload.input : payload.action;
}

function argumentsText(payload: ToolPayload): string {
  if (payload.kind === 'function') return payload.arguments;
  return payload.kind === 'custom' ? payload.input : JSON.stringify(payload.action);
}

function withArguments(call: ToolCall, args: unknown): ToolCall {
  const payloads: Readonly<Record<ToolPayload['kind'], () => ToolPayload>> = {
    function: () => ({ kind: 'function', arguments: JSON.stringify(args) }),
    custom: () => ({ kind: 'custom', input: args as string }),
    local_shell: () => ({
      kind: 'local_shell',
      action: args as Extract<ToolPayload, { kind: 'local_shell' }>['action'],
    }),
  };
  return { ...call, payload: payloads[call.payload.kind]() };
}

/** Warns about arguments of a hook that do not fit the tool: the model cannot correct the program. */
function refusedArguments(turn: Turn, error: unknown): never {
  if (error instanceof ToolFailure) {
    const message = `The program's own function \`beforeCall\` returned arguments that do not fit: ${error.message}`;
    turn.emit({ type: 'warning', code: 'callback', message });
  }
  throw error;
}
