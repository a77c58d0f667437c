import type { ContentPart } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import type { GranularApproval } from '../../base/policy.ts';
import { recordContext } from '../request/context-items.ts';
import { prefixChanges, prefixLine, showChange } from '../request/prefix.ts';
import { inputText, message, showInput } from '../state/message.ts';
import type { Turn } from '../turn-setup.ts';
import { compactIfNeeded } from './compaction.ts';
import { takeQueued } from './input-queue.ts';
import { settleCalls } from './settle-calls.ts';

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
  // A turn that answers a question leaves the other questions open.
  const settled = settleCalls(turn, ({ suspended }) => turn.answers === null || !suspended);
  const changes = await prefixChanges(turn, settled.lines);
  await turn.record(
    { type: 'event_msg', payload: { type: 'task_started', turn_id: turn.id } },
    ...continuedLines(turn),
    ...settled.lines,
    ...changes.map(prefixLine),
    { type: 'turn_context', payload: turnContext(turn) },
  );
  settled.show();
  for (const { cause } of changes) showChange(turn, cause);
}

function continuedLines({ id, answers }: Turn): readonly LogLine[] {
  return answers === null ? [] : [{ type: 'oxbow', payload: { kind: 'turn.continued', turn_id: id, ask_id: answers } }];
}

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
    ...(setup.keyFrom === undefined ? {} : { oxbow_key_from: setup.keyFrom }),
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
