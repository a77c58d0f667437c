import type { ContentPart } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import type { GranularApproval } from '../../base/policy.ts';
import { outputItem } from '../calls/output-item.ts';
import { recordContext } from '../request/context-items.ts';
import { prefixChanges, prefixLine, showChange } from '../request/prefix.ts';
import { lostCallText } from '../state/apply-item.ts';
import { inputText, message, showInput } from '../state/message.ts';
import type { Turn } from '../turn-setup.ts';
import { compactIfNeeded } from './compaction.ts';
import { takeQueued } from './input-queue.ts';

/** Adds context and input to the history. Returns false if there is no input, because all queued input was removed. */
export async function addInput(turn: Turn, input: readonly ContentPart[]): Promise<boolean> {
  await compactIfNeeded(turn, 'before', input);
  await recordContext(turn);
  // Input that an earlier turn left over goes first.
  const taken = await takeQueued(turn, turn.leftOver);
  if (input.length === 0) return taken > 0 || (await takeQueued(turn)) > 0;
  const said = message(turn.thread.world, 'user', input);
  await turn.note(
    { type: 'response_item', payload: said },
    { type: 'event_msg', payload: { type: 'user_message', message: inputText(input) } },
  );
  showInput(turn, said);
  return true;
}

/** Records the lines that every turn begins with, even a turn without input. */
export async function beginTurn(turn: Turn): Promise<void> {
  const settling = settlingLines(turn);
  const changes = prefixChanges(turn, settling);
  await turn.record(
    { type: 'event_msg', payload: { type: 'task_started', turn_id: turn.id } },
    ...settling,
    ...changes.map(prefixLine),
    { type: 'turn_context', payload: turnContext(turn) },
  );
  for (const { cause } of changes) showChange(turn, cause);
}

/**
 * Returns an output for every call that a dead process left open, so that the next request is valid. It is the output
 * of the call if that is known, otherwise a text about the call. Nothing runs again.
 */
function settlingLines(turn: Turn): readonly OutputLine[] {
  return [...turn.state.openCalls.values()].map((call) => ({
    type: 'response_item',
    payload: call.finished?.output ?? outputItem(turn, call.item, lostCallText(call)),
    metadata: call.finished?.metadata ?? { success: false, duration_ms: 0, failure: 'aborted' },
  }));
}

type OutputLine = Extract<LogLine, { type: 'response_item' }>;

function turnContext({ id, setup, state }: Turn) {
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
    ...(setup.providerId === state.meta?.model_provider ? {} : { model_provider: setup.providerId }),
    ...(setup.request.reasoning.effort === undefined ? {} : { effort: setup.request.reasoning.effort }),
    summary: setup.request.reasoning.summary ?? 'none',
  };
}

/** Returns the table under the keys of Codex. */
function granularTable({ sandbox, rules, mcp }: GranularApproval) {
  return {
    sandbox_approval: sandbox,
    rules,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: mcp,
  };
}
