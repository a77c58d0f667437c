import type { Action } from '../../base/action.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { CallItem, CustomToolCallItem, FunctionCallItem, Output } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { OutputMetadata } from '../../base/log.ts';
import type { Tool, ToolCall, ToolResult } from '../../base/tool.ts';
import type { Judge } from '../../policy/judge.ts';
import { LimitReached } from '../state/limits.ts';
import { recordRepair } from '../state/record-repair.ts';
import type { CallOutcome, Turn } from '../turn-setup.ts';
import { briefAction } from './brief-action.ts';
import { type PlannedCall, planCall, runHooked } from './call-hooks.ts';
import { type CallRun, createCallRun } from './call-run.ts';
import { outputItem } from './output-item.ts';
import type { AnsweredAsk, PerformOptions } from './perform-options.ts';
import { type Permit, permit, recordAnswer } from './permit.ts';
import type { HeldLock } from './read-write-lock.ts';
import { snapshotWorkspace } from './snapshot-workspace.ts';

/** Time for an interrupted tool to stop. After that, its call is answered without it. */
const GRACE_MS = 100;

/**
 * Performs one call: plan, decide, act. Never throws: every failure becomes an output for the model. Returns null if the
 * call has not started and its question stays open.
 */
export async function perform(turn: Turn, item: CallItem, options: PerformOptions): Promise<CallOutcome | null> {
  // A call that cannot be understood counts as mutating.
  const understood: Understood = { mutating: true, mcp: {} };
  const startedAt = turn.thread.world.monotonic();
  const call = toToolCall(item);
  const tool = turn.tools.find(call);
  const run = createCallRun(turn, item);
  const onFailure = async (error: unknown) => {
    await run.stop();
    return failureOf(error, turn, tool, turn.thread.world.monotonic() - startedAt);
  };
  let result: ToolResult;
  try {
    const ended = await untilAborted(
      turn.signal,
      planAndRun({ turn, call, tool, run, understood, onFailure }, options),
    );
    if (!ended) return null;
    result = ended;
  } catch (error) {
    result = await onFailure(error);
  }
  const duration_ms = turn.thread.world.monotonic() - startedAt;
  const { success, failure, structured } = result;
  const metadata = {
    ...{ success, duration_ms, ...understood.mcp },
    ...(failure && { failure }),
    ...(structured && { mcp_structured: true as const }),
  };
  const output = outputItem(turn, item, result.output);
  run.finish(output.output, metadata);
  turn.emit({
    type: 'call.ended',
    callId: call.callId,
    name: call.name,
    durationMs: duration_ms,
    success,
    failure: failure ?? null,
    mutating: understood.mutating,
    preview: previewOf(output.output),
  });
  return { output, metadata };
}

/** Facts about a call that are known once it is planned. */
interface Understood {
  mutating: boolean;
  mcp: Pick<OutputMetadata, 'mcp_server' | 'mcp_tool'>;
}

interface CallInProgress {
  readonly turn: Turn;
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  readonly run: CallRun;
  readonly understood: Understood;
  /** Ends the effects of a failed call, and returns its result. */
  onFailure(error: unknown): Promise<ToolResult>;
}

async function planAndRun(
  { turn, call, tool, run, understood, onFailure }: CallInProgress,
  { lock, waiting, answered }: PerformOptions,
): Promise<ToolResult | null> {
  if (answered) await recordAnswer(turn, call, answered.ask, answered.reply);
  if (!tool) throw new ToolFailure('parse', unsupported(call));
  const fitting = coerceCall(call, tool);
  if (!fitting) throw new ToolFailure('parse', `${call.name} does not take a ${call.payload.kind} call`);
  const held = await lock.acquire(tool.parallel ? 'read' : 'write', waiting);
  try {
    const planned = await (answered ? planAgain(turn, tool, fitting, answered) : planCall(turn, tool, fitting));
    understood.mcp = mcpFacts(planned.action);
    if (planned.denied !== undefined)
      throw await run.declined(planned.action, { cause: 'other', message: planned.denied });
    const judge = await turn.setup.judge();
    const asking = { call, tool, judge, held, ...(answered ? { answered } : {}) };
    const allowed = await permit(turn, asking, planned.action);
    if (allowed.type === 'suspension') return null;
    const mutating = judge.isMutating(allowed.action);
    understood.mutating = mutating;
    if (allowed.type === 'refusal') {
      const { action, cause, reason: message } = allowed;
      throw await run.declined(action, { cause, message });
    }
    await recordRepairOf(turn, call, planned.action);
    waiting.throwIfAborted();
    if (mutating) await snapshotWorkspace(turn);
    await recordStart(turn, call, allowed, mutating, planned.replaced);
    turn.emit({ type: 'call.started', callId: call.callId, name: call.name, mutating });
    run.begin(allowed.action, planned.replaced);
    const act = async () => {
      const result = await runTool(tool, allowed, run, judge);
      return (await repeatOutside({ turn, call, tool, run, judge, held, allowed })) ?? result;
    };
    return await runHooked(turn, planned, act, onFailure);
  } finally {
    held.release();
  }
}

function mcpFacts(action: Action): Understood['mcp'] {
  return action.kind === 'mcp' ? { mcp_server: action.server, mcp_tool: action.tool } : {};
}

/** Plans a call whose question was suspended. An approved call is planned again, as files may have changed. */
async function planAgain(turn: Turn, tool: Tool, call: ToolCall, answered: AnsweredAsk): Promise<PlannedCall> {
  const { ask, edited, reply } = answered;
  const asked: PlannedCall = { call, action: ask.action, replaced: undefined, denied: undefined };
  if (reply.type !== 'approve') return asked;
  if (!edited) return planCall(turn, tool, call);
  return { ...asked, action: (await tool.replan?.(ask.action, turn.setup.view)) ?? ask.action };
}

async function recordRepairOf(turn: Turn, { callId }: ToolCall, action: Action): Promise<void> {
  if (action.kind !== 'command' || !action.repair) return;
  await recordRepair(turn, { ...action.repair, frame: null, callId }, 'call');
}

/**
 * Records that a call starts. The line is on disk before the call has any effect. `replaced` are arguments that a hook
 * put in the place of the model's.
 */
async function recordStart(
  turn: Turn,
  { callId }: ToolCall,
  permit: Permit,
  mutating: boolean,
  replaced?: string,
): Promise<void> {
  const { action, sandboxed } = permit;
  const confined = turn.setup.policy.sandbox.mode !== 'danger-full-access';
  const leaves = confined && !sandboxed && (action.kind === 'command' || action.kind === 'patch');
  const payload = {
    kind: 'call.started',
    call_id: callId,
    ...(mutating ? {} : { read_only: true as const }),
    ...(leaves ? { outside: true as const } : {}),
    ...(replaced === undefined ? {} : { arguments: replaced }),
  } as const;
  await turn.record({ type: 'oxbow', payload });
}

async function runTool(tool: Tool, allowed: Permit, run: CallRun, judge: Judge): Promise<ToolResult> {
  const result = await tool.run(allowed.action, run.environmentFor(allowed, judge));
  // The output of a command already says that the user changed it.
  if (!allowed.edited || allowed.action.kind === 'command') return result;
  const note = `The user changed this call before it ran. What ran: ${JSON.stringify(briefAction(allowed.action))}`;
  const { output } = result;
  if (typeof output === 'string') return { ...result, output: `${note}\n${output}` };
  return { ...result, output: [{ type: 'input_text', text: note }, ...output] };
}

interface Repeat {
  readonly turn: Turn;
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly run: CallRun;
  readonly judge: Judge;
  readonly held: HeldLock;
  readonly allowed: Permit;
}

/** Runs a command again outside the sandbox, after the sandbox made it fail and the user agreed. */
async function repeatOutside({ turn, call, tool, run, judge, held, allowed }: Repeat): Promise<ToolResult | undefined> {
  const { action, askAgain } = allowed;
  if (!askAgain || !run.wasDenied() || action.kind !== 'command') return undefined;
  const again = await permit(
    turn,
    { call, tool, judge, held, started: true },
    { ...action, escalate: true, justification: REPEAT },
  );
  if (again.type !== 'permit' || again.sandboxed) return undefined;
  await recordStart(turn, call, again, judge.isMutating(again.action));
  return runTool(tool, again, run, judge);
}

const REPEAT = 'The command failed, and it seems that the sandbox is why. It would run once more, outside the sandbox.';

const PREVIEW_CHARS = 200;

function previewOf(output: Output): string {
  const text = typeof output === 'string' ? output : output.map((part) => ('text' in part ? part.text : '')).join('');
  return text.slice(0, PREVIEW_CHARS);
}

function toToolCall(item: CallItem): ToolCall {
  switch (item.type) {
    case 'function_call':
      return { callId: item.call_id, ...nameOf(item), payload: { kind: 'function', arguments: item.arguments } };
    case 'custom_tool_call':
      return { callId: item.call_id, ...nameOf(item), payload: { kind: 'custom', input: item.input } };
    case 'local_shell_call':
      return { callId: item.call_id, name: 'local_shell', payload: { kind: 'local_shell', action: item.action } };
  }
}

function nameOf({ name, namespace }: FunctionCallItem | CustomToolCallItem): Pick<ToolCall, 'name' | 'namespace'> {
  return namespace === undefined ? { name } : { name, namespace };
}

function unsupported({ name, namespace, payload }: ToolCall): string {
  const full = namespace === undefined ? name : `${namespace}.${name}`;
  return payload.kind === 'custom' ? `unsupported custom tool call: ${full}` : `unsupported call: ${full}`;
}

/**
 * Returns a call in a form that its tool accepts, or undefined if there is none. Models mix up functions and free
 * texts, so a call is converted if nothing gets lost.
 */
export function coerceCall(call: ToolCall, { accepts }: Pick<Tool, 'accepts'>): ToolCall | undefined {
  const { payload } = call;
  if (accepts.includes(payload.kind)) return call;
  if (payload.kind === 'custom' && accepts.includes('function') && objectOf(payload.input) !== undefined) {
    return { ...call, payload: { kind: 'function', arguments: payload.input } };
  }
  if (payload.kind === 'function' && accepts.includes('custom')) {
    const input = objectOf(payload.arguments)?.input;
    if (typeof input === 'string') return { ...call, payload: { kind: 'custom', input } };
  }
  return undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the value of a promise. Throws the reason of the signal if it aborts and the promise does not settle in time.
 */
async function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let listen: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    listen = () => {
      timer = setTimeout(() => reject(signal.reason), GRACE_MS);
    };
    signal.addEventListener('abort', listen, { once: true });
  });
  try {
    const value = await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return value;
  } finally {
    clearTimeout(timer);
    if (listen) signal.removeEventListener('abort', listen);
    promise.catch(() => {});
  }
}

function failureOf(error: unknown, turn: Turn, tool: Tool | undefined, ms: number): ToolResult {
  const seconds = Math.max(ms / 1000, 0.1);
  if (turn.signal.aborted) {
    const { reason } = turn.signal;
    const output =
      reason instanceof LimitReached
        ? `aborted after ${seconds.toFixed(1)}s: ${reason.message}`
        : (tool?.aborted?.(seconds) ?? `aborted by user after ${seconds.toFixed(1)}s`);
    return { output, success: false, failure: 'aborted' };
  }
  if (error instanceof ToolFailure) return { output: error.message, success: false, failure: error.kind };
  if (typeof error === 'string') return { output: error, success: false, failure: 'aborted' };
  return { output: `err: ${messageOf(error)}`, success: false, failure: 'execution' };
}
