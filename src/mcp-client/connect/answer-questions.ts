import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../base/errors.ts';
import type { McpElicitationAnswer, McpToolRequest } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { CallClock } from './call-clock.ts';
import { checkedAnswer, readElicitation } from './elicitation.ts';
import { readSampling } from './read-sampling.ts';

/** A call that a server is working on. */
export interface CallInProgress {
  readonly request: Pick<McpToolRequest, 'elicit' | 'sample'>;
  readonly clock: Pick<CallClock, 'signal' | 'paused'>;
}

type Result = Readonly<Record<string, unknown>>;

/** A question of a server, as a request of JSON-RPC has it. */
export interface ServerQuestion {
  readonly method: string;
  readonly params: unknown;
}

/** Answers a question of a server that belongs to a call, or to none. Throws `McpFault` for a question of an unknown kind. */
export async function answerQuestion(
  { method, params }: ServerQuestion,
  call: CallInProgress | undefined,
  roots: () => readonly string[],
): Promise<Result> {
  switch (method) {
    case 'elicitation/create':
      return { ...(await elicit(params, call)) };
    case 'sampling/createMessage':
      return await sample(params, call);
    case 'roots/list':
      return { roots: roots().map((folder) => ({ uri: pathToFileURL(folder).href, name: basename(folder) })) };
    default:
      throw new McpFault('invalid', `The server asked a question of an unknown kind: ${method}.`);
  }
}

async function elicit(params: unknown, call: CallInProgress | undefined) {
  const question = readElicitation(params);
  if (question === undefined) throw new McpFault('invalid', 'The server asked a question that has no form.');
  const ask = call?.request.elicit;
  if (call === undefined || ask === undefined) return { action: 'decline' } as const;
  const { signal } = call.clock;
  // An error of the question is not one of the server.
  const answer = await call.clock.paused(() => ask.call(call.request, question, signal)).catch(() => CANCEL);
  return checkedAnswer(question, answer);
}

const CANCEL: McpElicitationAnswer = { action: 'cancel' };

async function sample(params: unknown, call: CallInProgress | undefined): Promise<Result> {
  const write = call?.request.sample;
  if (call === undefined || write === undefined) {
    throw new McpFault('refused', 'The user does not let this server use the model.');
  }
  const request = readSampling(params);
  try {
    return { ...(await call.clock.paused(() => write.call(call.request, request, call.clock.signal))) };
  } catch (error) {
    // The connection is well: the server gets no message, and the reason.
    throw error instanceof McpFault ? error : new McpFault('refused', messageOf(error));
  }
}
