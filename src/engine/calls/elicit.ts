import type { McpElicitationAction, McpSamplingAction } from '../../base/action.ts';
import type { McpElicitationAnswer } from '../../base/mcp-connection.ts';
import type { ToolCall } from '../../base/tool.ts';
import type { Judge } from '../../policy/judge.ts';
import type { Turn } from '../turn-setup.ts';
import { briefAction } from './brief-action.ts';
import { questionOf, recordAnswer, replyTo } from './permit.ts';
import type { UserReply } from './read-answer.ts';

/** A question of an MCP server in the middle of a call. */
export interface QuestionInCall<A = McpElicitationAction | McpSamplingAction> {
  readonly call: Pick<ToolCall, 'callId'>;
  readonly action: A;
  /** Aborts when the server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Puts a question of an MCP server to the user. The content of the answer is for the server only. */
export async function elicit(
  turn: Turn,
  judge: Judge,
  question: QuestionInCall<McpElicitationAction>,
): Promise<McpElicitationAnswer> {
  const reply = await askForServer(turn, judge, question);
  if (reply.type !== 'approve') return { action: reply.type === 'abort' ? 'cancel' : 'decline' };
  return { action: 'accept', ...(reply.content === undefined ? {} : { content: reply.content }) };
}

/**
 * Asks the user about an action that a server wants in the middle of a call. The question and whether it was answered
 * are recorded. Such a question cannot be left open, and its action cannot be edited: both count as a no.
 */
export async function askForServer(
  turn: Turn,
  judge: Judge,
  { call, action, signal }: QuestionInCall,
): Promise<Exclude<UserReply, { type: 'edit' }>> {
  const decision = judge.decide(action);
  const { ask } = turn.thread;
  if (decision.type === 'deny') return { type: 'decline', message: decision.reason };
  if (decision.type !== 'ask' || ask === undefined) return { type: 'decline', message: 'There is nobody to ask.' };
  const question = questionOf(turn, { call, judge }, { action, decision });
  const { reason, sandboxed } = question;
  const asked = { kind: 'ask.opened', call_id: call.callId, action: briefAction(action), reason, sandboxed } as const;
  await turn.note({ type: 'oxbow', payload: asked });
  turn.emit({ type: 'ask.opened', ask: question });
  const either = AbortSignal.any([turn.signal, signal]);
  const given = await replyTo(question, turn, (one) => ask(one, either));
  const reply = given.type === 'suspend' || given.type === 'edit' ? ({ type: 'decline' } as const) : given;
  await recordAnswer(turn, call, question, reply);
  if (reply.type === 'abort') turn.interrupt();
  return reply;
}
