import type { Action } from '../base/action.ts';
import type { ToolCall } from '../base/tool.ts';
import type { Turn } from './turn-setup.ts';

/** Whether the user lets an action happen. The question and the answer are on record. */
export async function ask(turn: Turn, call: ToolCall, action: Action, reason: string): Promise<boolean> {
  const { setup } = turn;
  if (!setup.ask || action.kind !== 'command') return false;
  const question = { id: setup.world.uuid(), callId: call.callId, argv: action.argv, cwd: action.cwd, reason };
  turn.emit({ type: 'ask.opened', ask: question });
  const answer = await setup.ask(question, turn.signal);
  await turn.record({ type: 'oxbow', payload: { kind: 'ask.answered', call_id: call.callId, answer } });
  turn.emit({ type: 'ask.answered', askId: question.id, answer });
  return answer === 'approved';
}
