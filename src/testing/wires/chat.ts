import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import { decodeRequest } from '../../wire/chat/decode-request.ts';
import { pieces, words } from '../cut-text.ts';
import { type CallPart, type CustomCallPart, type Reply, type ReplyOptions, SCRIPTED_USAGE } from '../reply.ts';
import type { EncodeContext, ReplyStep, ReplyWire } from '../reply-wire.ts';
import { SSE_TYPE, sseFrame } from '../sse-frame.ts';

/**
 * The Chat Completions wire: a chunk for each word and each piece of a call, then the finish reason, usage and the end
 * mark.
 */
export const chatReplyWire: ReplyWire = {
  path: '/chat/completions',
  contentType: SSE_TYPE,
  brokenFrame: sseFrame('{"choices":[{"index":0,"delta":{"content":"half a'),
  encode,
  decodeRequest,
};

type Fields = Readonly<Record<string, unknown>>;
type Emit = (fields: Fields) => void;

function encode({ parts, options }: Reply, context: EncodeContext): readonly ReplyStep[] {
  const steps: ReplyStep[] = [];
  const chunk = newChunk(options.id ?? context.ids.next('chatcmpl'), context.model);
  const emit: Emit = (fields) => steps.push(sseFrame(JSON.stringify({ ...chunk, ...fields })));
  const emitDelta = (delta: Fields) => emit({ choices: [choice(delta, null)] });
  let calls = 0;

  emitDelta({ role: 'assistant', content: '' });
  for (const part of parts) {
    if (part.kind === 'pause' || part.kind === 'gate') steps.push(part);
    else if (part.kind === 'raw') steps.push(sseFrame(part.data, part.event));
    else if (part.kind === 'say') for (const content of words(part.text)) emitDelta({ content });
    else if (part.kind === 'think') {
      const thought = part.raw ?? part.summary.join('\n\n');
      for (const reasoning_content of words(thought)) emitDelta({ reasoning_content });
    } else for (const piece of callPieces(part, calls++, context.ids)) emitDelta({ tool_calls: [piece] });
  }
  if (options.failed) steps.push(sseFrame(JSON.stringify({ error: { type: options.failed.code, ...options.failed } })));
  else {
    emit({ choices: [choice({}, finishReason(options, calls))] });
    if (!options.omitUsage && asksForUsage(context)) emit({ choices: [], usage: usageFields(options.usage ?? {}) });
    steps.push(sseFrame('[DONE]'));
  }
  return steps;
}

function newChunk(id: string, model: string): Fields {
  // The time is fixed, so that the same script produces the same bytes.
  return { id, object: 'chat.completion.chunk', created: 1_760_000_000, model };
}

function choice(delta: Fields, finish_reason: string | null): Fields {
  return { index: 0, delta, logprobs: null, finish_reason };
}

/** Returns the pieces of a call. The first piece names the call, the others only have its index. */
function callPieces(part: CallPart | CustomCallPart, index: number, ids: EncodeContext['ids']): readonly Fields[] {
  const text = part.kind === 'call' ? part.arguments : JSON.stringify({ input: part.input });
  const id = part.callId ?? ids.next('call');
  return [
    { index, id, type: 'function', function: { name: part.name, arguments: '' } },
    ...pieces(text).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

/** Finish reasons of the protocol, by the reason for which a response is incomplete. */
const FINISH_REASONS = new Map([['max_output_tokens', 'length']]);

function finishReason({ incomplete, finishReason }: ReplyOptions, calls: number): string | null {
  if (finishReason !== undefined) return finishReason;
  if (incomplete !== undefined) return FINISH_REASONS.get(incomplete) ?? incomplete;
  return calls > 0 ? 'tool_calls' : 'stop';
}

function asksForUsage({ body }: EncodeContext): boolean {
  return isRecord(body?.stream_options) && body.stream_options.include_usage === true;
}

function usageFields(given: Partial<Usage>): Fields {
  const usage = { ...SCRIPTED_USAGE, ...given };
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: given.totalTokens ?? usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: usage.cacheWriteInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningOutputTokens },
  };
}
