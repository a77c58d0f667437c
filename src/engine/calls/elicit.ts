import type { McpElicitationAction } from '../../base/action.ts';
import type { McpElicitationAnswer } from '../../base/mcp-connection.ts';
import type { ToolCall } from '../../base/tool.ts';
import type { Judge } from '../../policy/judge.ts';
import type { Turn } from '../turn-setup.ts';
import { questionOf, recordAnswer, replyTo } from './permit.ts';

interface Elicitation {
  readonly call: Pick<ToolCall, 'callId'>;
  readonly action: McpElicitationAction;
  /** Aborts when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

const DECLINE: McpElicitationAnswer = { action: 'decline' };

/**
 * Puts a question of an MCP server to the user, in the middle of a call. The question and whether it was answered are
 * recorded; the content of the answer is for the server only.
 */
export async function elicit(turn: Turn, judge: Judge, elicitation: Elicitation): Promise<McpElicitationAnswer> {
  const { call, action, signal } = elicitation;
  const decision = judge.decide(action);
  const { ask } = turn.thread;
  if (decision.type !== 'ask' || ask === undefined) return DECLINE;
  const question = questionOf(turn, { call, judge }, { action, decision });
  const { reason, sandboxed } = question;
  await turn.note({ type: 'oxbow', payload: { kind: 'ask.opened', call_id: call.callId, action, reason, sandboxed } });
  turn.emit({ type: 'ask.opened', ask: question });
  const either = AbortSignal.any([turn.signal, signal]);
  const reply = await replyTo(question, turn, (asked) => ask(asked, either));
  if (reply.type === 'suspend' || reply.type === 'edit') {
    await recordAnswer(turn, call, question, { type: 'decline' });
    return DECLINE;
  }
  await recordAnswer(turn, call, question, reply);
  if (reply.type === 'abort') turn.interrupt();
  if (reply.type !== 'approve') return reply.type === 'abort' ? { action: 'cancel' } : DECLINE;
  return { action: 'accept', ...(reply.content === undefined ? {} : { content: reply.content }) };
}
