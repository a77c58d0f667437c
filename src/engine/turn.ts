import type { ContentPart, Item, Role } from '../base/item.ts';
import type { GranularApproval } from '../base/policy.ts';
import { sample } from './sample.ts';
import { settleOpenCalls } from './settle-open-calls.ts';
import type { Turn } from './turn-setup.ts';

/**
 * One turn: the user's input goes in; then request, calls, outputs, request … until nothing is left to send back.
 * Gives the final answer. Throws `ModelError` or `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: readonly ContentPart[]): Promise<string> {
  await begin(turn, input);
  for (;;) {
    const response = await sample(turn);
    if (!response.followUp) return response.lastMessage ?? '';
  }
}

async function begin(turn: Turn, input: readonly ContentPart[]): Promise<void> {
  const { setup, state } = turn;
  await turn.record({ type: 'event_msg', payload: { type: 'task_started', turn_id: turn.id } });
  await turn.record({ type: 'turn_context', payload: turnContext(turn) });
  await settleOpenCalls(turn);
  const { developerInstructions } = setup.prompt;
  if (developerInstructions !== null && state.history.length === 0) {
    await turn.record({
      type: 'response_item',
      payload: message(turn, 'developer', [textPart(developerInstructions)]),
    });
  }
  const context = setup.prompt.environmentContext();
  if (context !== state.environmentContext)
    await turn.record({ type: 'response_item', payload: userMessage(turn, [textPart(context)]) });
  await turn.record({ type: 'response_item', payload: userMessage(turn, input) });
  const text = input.map((part) => (part.type === 'input_text' ? part.text : '')).join('');
  await turn.record({ type: 'event_msg', payload: { type: 'user_message', message: text } });
}

export function userMessage(turn: Turn, content: readonly ContentPart[]): Item {
  return message(turn, 'user', content);
}

function message(turn: Turn, role: Role, content: readonly ContentPart[]): Item {
  return { type: 'message', id: `msg_${turn.setup.world.uuid()}`, role, content };
}

export function textPart(text: string): ContentPart {
  return { type: 'input_text', text };
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
