import { ModelError } from '../base/errors.ts';
import type { ContentPart } from '../base/item.ts';
import type { GranularApproval } from '../base/policy.ts';
import { compact, compactIfNeeded } from './compaction.ts';
import { takeQueued } from './input-queue.ts';
import { inputText, message } from './message.ts';
import { notePrefix } from './prefix.ts';
import { type Response, sample } from './sample.ts';
import { settleOpenCalls } from './settle-open-calls.ts';
import { tellContext } from './tell-context.ts';
import type { Turn } from './turn-setup.ts';

/**
 * One turn: the user's input goes in; then request, calls, outputs, request … until nothing is left to send back.
 * Gives the final answer. Throws `ModelError` or `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  await begin(turn);
  await compactIfNeeded(turn, 'before');
  await tellContext(turn);
  // What an earlier turn left over was said before.
  await takeQueued(turn);
  await say(turn, input);
  for (;;) {
    const response = await sampleFitting(turn);
    if (!response.followUp && turn.state.queue.length === 0) return response.lastMessage ?? '';
    await compactIfNeeded(turn, 'between');
    await takeQueued(turn);
  }
}

/** What every turn begins with, also one that says nothing. */
export async function begin(turn: Turn): Promise<void> {
  await turn.record({ type: 'event_msg', payload: { type: 'task_started', turn_id: turn.id } });
  await settleOpenCalls(turn);
  await notePrefix(turn);
  await turn.record({ type: 'turn_context', payload: turnContext(turn) });
}

async function say(turn: Turn, input: readonly ContentPart[]): Promise<void> {
  await turn.record({ type: 'response_item', payload: message(turn.setup.world, 'user', input) });
  await turn.record({ type: 'event_msg', payload: { type: 'user_message', message: inputText(input) } });
}

/** A response; when the server says that the history does not fit, it is made to and the server asked again, once. */
async function sampleFitting(turn: Turn): Promise<Response> {
  try {
    return await sample(turn);
  } catch (error) {
    if (!(error instanceof ModelError) || error.code !== 'context_length_exceeded') throw error;
    await compact(turn, 'overflow');
    return sample(turn);
  }
}

function turnContext({ id, setup }: Turn) {
  const { sandbox, approval } = setup.policy;
  return {
    turn_id: id,
    cwd: setup.view.cwd,
    approval_policy: typeof approval === 'string' ? approval : { granular: granularTable(approval) },
    sandbox_policy:
      sandbox.mode === 'workspace-write'
        ? { type: sandbox.mode, writable_roots: sandbox.writableRoots, network_access: sandbox.network }
        : { type: sandbox.mode },
    model: setup.request.model,
    ...(setup.request.reasoning.effort === undefined ? {} : { effort: setup.request.reasoning.effort }),
    summary: setup.request.reasoning.summary ?? 'none',
  };
}

/** With the keys that Codex has for it. */
function granularTable({ sandbox, rules, mcp }: GranularApproval) {
  return {
    sandbox_approval: sandbox,
    rules,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: mcp,
  };
}
