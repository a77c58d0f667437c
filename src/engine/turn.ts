import type { Item } from '../base/item.ts';
import { sample } from './sample.ts';
import { settleOpenCalls } from './settle-open-calls.ts';
import type { Turn } from './turn-setup.ts';

/**
 * One turn: the user's input goes in; then request, calls, outputs, request … until nothing is left to send back.
 * Gives the final answer. Throws `ModelError` or `LimitReached`; the history stays valid for the next turn all the same.
 */
export async function runTurn(turn: Turn, input: string): Promise<string> {
  await begin(turn, input);
  for (;;) {
    const response = await sample(turn);
    if (!response.followUp) return response.lastMessage ?? '';
  }
}

async function begin(turn: Turn, input: string): Promise<void> {
  const { setup, state } = turn;
  await turn.record({ type: 'event_msg', payload: { type: 'task_started', turn_id: turn.id } });
  await turn.record({ type: 'turn_context', payload: turnContext(turn) });
  await settleOpenCalls(turn);
  const context = setup.prompt.environmentContext();
  if (context !== state.environmentContext)
    await turn.record({ type: 'response_item', payload: userMessage(turn, context) });
  await turn.record({ type: 'response_item', payload: userMessage(turn, input) });
  await turn.record({ type: 'event_msg', payload: { type: 'user_message', message: input } });
}

export function userMessage(turn: Turn, text: string): Item {
  const id = `msg_${turn.setup.world.uuid()}`;
  return { type: 'message', id, role: 'user', content: [{ type: 'input_text', text }] };
}

function turnContext({ id, setup }: Turn) {
  const { sandbox, approval } = setup.policy;
  return {
    turn_id: id,
    cwd: setup.view.cwd,
    approval_policy: approval,
    sandbox_policy:
      sandbox.mode === 'workspace-write'
        ? { type: sandbox.mode, writable_roots: sandbox.writableRoots, network_access: sandbox.network }
        : { type: sandbox.mode },
    model: setup.request.model,
    ...(setup.request.reasoning.effort === undefined ? {} : { effort: setup.request.reasoning.effort }),
    summary: setup.request.reasoning.summary ?? 'none',
  };
}
