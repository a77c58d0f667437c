import type { McpSamplingAction } from '../../base/action.ts';
import { ModelError } from '../../base/errors.ts';
import { type Item, messageText } from '../../base/item.ts';
import type { RequestRecord } from '../../base/log.ts';
import type { McpSampling, McpSamplingAnswer, McpSamplingPart } from '../../base/mcp-connection.ts';
import type { Meter, ModelRequest, StreamOptions } from '../../base/model.ts';
import { NO_USAGE, type Usage } from '../../base/usage.ts';
import type { Judge } from '../../policy/judge.ts';
import { message } from '../state/message.ts';
import { fromTokenCounts, toTokenCounts } from '../state/token-counts.ts';
import type { Turn } from '../turn-setup.ts';
import { askForServer, type QuestionInCall } from './elicit.ts';

/**
 * Lets the model of the turn write a message for an MCP server, if the user agrees. The message does not become part of
 * the history, and its costs count for the turn. Throws an `Error` that says why there is no message.
 */
export async function sampleForServer(
  turn: Turn,
  judge: Judge,
  question: QuestionInCall<McpSamplingAction>,
): Promise<McpSamplingAnswer> {
  const { call, action, signal } = question;
  const { request } = action;
  if (!turn.setup.imageInput && request.messages.some(({ content }) => content.some(({ type }) => type === 'image')))
    throw new Error('The model cannot see images.');
  const reply = await askForServer(turn, judge, question);
  if (reply.type !== 'approve') throw new Error(refusalText(reply.type === 'decline' ? reply.message : undefined));
  turn.limits.beforeRequest();
  const meter: Meter = { sentBytes: 0, receivedBytes: 0, retries: 0 };
  const startedAt = turn.thread.world.monotonic();
  const taken: Taken = { usage: null, error: undefined };
  try {
    const warn = (text: string) => turn.emit({ type: 'warning', code: 'model', message: text });
    const either = AbortSignal.any([turn.signal, signal]);
    return await follow(turn, samplingRequest(turn, request), taken, { signal: either, turnId: turn.id, meter, warn });
  } catch (error) {
    taken.error = error;
    throw error;
  } finally {
    const record = recordOf(turn, taken, meter, turn.thread.world.monotonic() - startedAt);
    countSampled(turn, record);
    await turn.note({ type: 'oxbow', payload: { kind: 'call.sampled', call_id: call.callId, ...record } });
  }
}

function refusalText(why: string | undefined): string {
  return `The user does not let this server use the model${why === undefined || why.trim() === '' ? '.' : `: ${why}`}`;
}

interface Taken {
  usage: Usage | null;
  error: unknown;
}

async function follow(
  turn: Turn,
  request: ModelRequest,
  taken: Taken,
  options: StreamOptions,
): Promise<McpSamplingAnswer> {
  const texts: string[] = [];
  const answer = (stopReason: 'endTurn' | 'maxTokens'): McpSamplingAnswer => ({
    model: request.model,
    role: 'assistant',
    content: { type: 'text', text: texts.join('\n\n') },
    stopReason,
  });
  for await (const event of turn.setup.model.stream(request, options)) {
    if (event.type === 'item.done' && event.item.type === 'message') texts.push(messageText(event.item));
    if (event.type !== 'completed' && event.type !== 'incomplete') continue;
    taken.usage = event.usage;
    if (event.type === 'completed') return answer('endTurn');
    if (event.reason === 'max_output_tokens' || event.reason === 'length') return answer('maxTokens');
    throw new ModelError('incomplete', `The response was cut off: ${event.reason}.`, { cutOff: event.reason });
  }
  throw new ModelError('stream_broken', 'The response ended without saying so.');
}

/** Returns the request for a message. It has nothing of the thread but its model: the server may not read the history. */
function samplingRequest({ setup, thread, id }: Turn, asked: McpSampling): ModelRequest {
  const { cacheKey: _, text: __, ...fields } = setup.request;
  const { systemPrompt, messages, maxTokens, temperature, stop } = asked;
  return {
    ...fields,
    instructions: systemPrompt ?? '',
    input: messages.map(
      ({ role, content }): Item =>
        message(
          thread.world,
          role,
          content.map((part) => contentPart(role, part)),
        ),
    ),
    tools: [],
    toolChoice: 'none',
    parallelToolCalls: false,
    sampling: {
      maxOutputTokens: maxTokens,
      ...(temperature === null ? {} : { temperature }),
      ...(stop.length === 0 ? {} : { stop }),
    },
    metadata: { session_id: thread.id, thread_id: thread.id, turn_id: id },
  };
}

function contentPart(role: 'user' | 'assistant', part: McpSamplingPart) {
  if (part.type === 'image')
    return { type: 'input_image', image_url: `data:${part.mimeType};base64,${part.data}`, detail: 'high' } as const;
  return { type: role === 'user' ? 'input_text' : 'output_text', text: part.text } as const;
}

function recordOf({ setup }: Turn, { usage, error }: Taken, meter: Meter, ms: number): RequestRecord {
  const isRefused = error instanceof ModelError && error.status !== undefined;
  // A refused request is not charged. The charge for a response that broke off is unknown.
  const charged = usage ?? (isRefused || meter.receivedBytes === 0 ? NO_USAGE : null);
  return {
    ms,
    ...(error === undefined ? {} : { error: error instanceof ModelError ? error.code : 'internal' }),
    model: setup.request.model,
    usage: usage && toTokenCounts(usage),
    cost: charged && setup.price(charged),
    retries: meter.retries,
    repairs: 0,
    sent_bytes: meter.sentBytes,
    received_bytes: meter.receivedBytes,
  };
}

/** Adds the costs of a message for a server to the ledger and the limits of a turn. */
export function countSampled({ ledger, limits }: Turn, record: RequestRecord): void {
  const { ms, cost = null, retries = 0, sent_bytes: sentBytes = 0, received_bytes: receivedBytes = 0 } = record;
  const usage = record.usage ? fromTokenCounts(record.usage) : null;
  ledger.add({ requests: 1, retries, modelMs: ms, cost, sentBytes, receivedBytes, ...(usage ? { usage } : {}) });
  limits.afterResponse(cost === 0 && usage === null ? NOTHING_TAKEN : { usage, cost, sentBytes, receivedBytes });
}

const NOTHING_TAKEN = { usage: NO_USAGE, cost: 0, sentBytes: 0, receivedBytes: 0 };
