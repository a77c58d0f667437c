import type { Usage } from '../../base/usage.ts';
import { decodeRequest } from '../../wire/messages/decode-request.ts';
import { pieces, words } from '../cut-text.ts';
import {
  type CallPart,
  type CustomCallPart,
  type Reply,
  type ReplyOptions,
  SCRIPTED_USAGE,
  type ThinkPart,
} from '../reply.ts';
import type { EncodeContext, ReplyStep, ReplyWire } from '../reply-wire.ts';
import { SSE_TYPE, sseFrame } from '../sse-frame.ts';

/** The Messages wire: a block for each part, with an event for each word or piece of it, then the stop reason. */
export const messagesReplyWire: ReplyWire = {
  path: '/messages',
  contentType: SSE_TYPE,
  brokenFrame: sseFrame('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half a'),
  encode,
  decodeRequest,
};

type Fields = Readonly<Record<string, unknown>>;

function encode({ parts, options }: Reply, context: EncodeContext): readonly ReplyStep[] {
  const steps: ReplyStep[] = [];
  const emit = (type: string, fields: Fields = {}) => steps.push(sseFrame(JSON.stringify({ type, ...fields }), type));
  const usage = options.omitUsage ? undefined : usageFields(options.usage ?? {});
  let index = 0;
  let hasCalls = false;

  const id = options.id ?? context.ids.next('msg');
  emit('message_start', { message: newMessage(id, context.model, usage) });
  for (const part of parts) {
    if (part.kind === 'pause' || part.kind === 'gate') steps.push(part);
    else if (part.kind === 'raw') steps.push(sseFrame(part.data, part.event));
    else {
      const { block, deltas } = blockOf(part, context.ids);
      hasCalls ||= block.type === 'tool_use';
      emit('content_block_start', { index, content_block: block });
      for (const delta of deltas) emit('content_block_delta', { index, delta });
      emit('content_block_stop', { index: index++ });
    }
  }
  if (options.failed) emit('error', { error: { type: options.failed.code, message: options.failed.message } });
  else {
    emit('message_delta', { delta: { stop_reason: stopReason(options, hasCalls), stop_sequence: null }, usage });
    emit('message_stop');
  }
  return steps;
}

function newMessage(id: string, model: string, usage: Fields | undefined): Fields {
  const start = usage && { ...usage, output_tokens: 1 };
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: start,
  };
}

interface ScriptedBlock {
  readonly block: Fields;
  readonly deltas: readonly Fields[];
}

function blockOf(
  part: Extract<Reply['parts'][number], { readonly kind: 'say' | 'think' | 'call' | 'custom_call' }>,
  ids: EncodeContext['ids'],
): ScriptedBlock {
  if (part.kind === 'think') return thinkingBlock(part);
  if (part.kind !== 'say') return callBlock(part, ids);
  return { block: { type: 'text', text: '' }, deltas: words(part.text).map((text) => ({ type: 'text_delta', text })) };
}

/** Returns a block of reasoning. One without a text is redacted. */
function thinkingBlock({ raw, summary, encrypted = 'c2lnbmVk' }: ThinkPart): ScriptedBlock {
  const thought = raw ?? summary.join('\n\n');
  if (thought === '') return { block: { type: 'redacted_thinking', data: encrypted }, deltas: [] };
  return {
    block: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...words(thought).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: encrypted },
    ],
  };
}

function callBlock(part: CallPart | CustomCallPart, ids: EncodeContext['ids']): ScriptedBlock {
  const text = part.kind === 'call' ? part.arguments : JSON.stringify({ input: part.input });
  return {
    block: { type: 'tool_use', id: part.callId ?? ids.next('toolu'), name: part.name, input: {} },
    deltas: pieces(text).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  };
}

/** Stop reasons of the protocol, by the reason for which a response is incomplete. */
const STOP_REASONS = new Map([
  ['max_output_tokens', 'max_tokens'],
  ['content_filter', 'refusal'],
]);

function stopReason({ incomplete, finishReason, endTurn }: ReplyOptions, hasCalls: boolean): string | null {
  if (finishReason !== undefined) return finishReason;
  if (incomplete !== undefined) return STOP_REASONS.get(incomplete) ?? incomplete;
  if (hasCalls) return 'tool_use';
  return endTurn === false ? 'pause_turn' : 'end_turn';
}

function usageFields(given: Partial<Usage>): Fields {
  const usage = { ...SCRIPTED_USAGE, ...given };
  return {
    input_tokens: Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens),
    cache_creation_input_tokens: usage.cacheWriteInputTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningOutputTokens },
  };
}
