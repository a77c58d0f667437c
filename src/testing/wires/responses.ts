import type { Usage } from '../../base/usage.ts';
import { decodeRequest } from '../../wire/responses/decode-request.ts';
import { pieces, words } from '../cut-text.ts';
import {
  type CallPart,
  type CustomCallPart,
  type Reply,
  type ReplyOptions,
  type SayPart,
  SCRIPTED_USAGE,
  type ThinkPart,
} from '../reply.ts';
import type { EncodeContext, ReplyStep, ReplyWire } from '../reply-wire.ts';
import { SSE_TYPE, sseFrame } from '../sse-frame.ts';

/** The Responses API, with the whole life cycle of events that its servers send. */
export const responsesReplyWire: ReplyWire = {
  path: '/responses',
  contentType: SSE_TYPE,
  brokenFrame: sseFrame('{"type":"response.output_text.delta","delta":"half a'),
  encode,
  decodeRequest,
};

type Fields = Readonly<Record<string, unknown>>;
type Emit = (type: string, fields: Fields) => void;
type ItemPart = SayPart | ThinkPart | CallPart | CustomCallPart;

/** An item at its start, the events while it grows, and its final form. */
interface ItemScript {
  readonly id: string;
  readonly started: Fields;
  readonly growth: readonly (readonly [type: string, fields: Fields])[];
  readonly done: Fields;
}

function encode(reply: Reply, { ids, model }: EncodeContext): readonly ReplyStep[] {
  const steps: ReplyStep[] = [];
  let sequence = 0;
  const emit: Emit = (type, fields) =>
    steps.push(sseFrame(JSON.stringify({ type, sequence_number: sequence++, ...fields }), type));
  const response = newResponse(reply.options.id ?? ids.next('resp'), model);
  const output: Fields[] = [];

  emit('response.created', { response: { ...response, usage: null } });
  emit('response.in_progress', { response: { ...response, usage: null } });
  for (const part of reply.parts) {
    if (part.kind === 'pause' || part.kind === 'gate') steps.push(part);
    else if (part.kind === 'raw') steps.push(sseFrame(part.data, part.event));
    else output.push(emitItem(emit, itemScript(part, ids), output.length));
  }
  emitEnding(emit, { ...response, output }, reply.options);
  return steps;
}

function newResponse(id: string, model: string): Fields {
  return {
    id,
    object: 'response',
    // The time is fixed, so that the same script produces the same bytes.
    created_at: 1_760_000_000,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model,
    output: [],
  };
}

function emitItem(emit: Emit, script: ItemScript, index: number): Fields {
  emit('response.output_item.added', { output_index: index, item: script.started });
  for (const [type, fields] of script.growth) emit(type, { item_id: script.id, output_index: index, ...fields });
  emit('response.output_item.done', { output_index: index, item: script.done });
  return script.done;
}

function itemScript(part: ItemPart, ids: EncodeContext['ids']): ItemScript {
  switch (part.kind) {
    case 'say':
      return messageScript(part, ids.next('msg'));
    case 'think':
      return reasoningScript(part, ids.next('rs'));
    case 'call':
      return callScript(part, ids.next('fc'), part.callId ?? ids.next('call'));
    case 'custom_call':
      return customCallScript(part, ids.next('ctc'), part.callId ?? ids.next('call'));
  }
}

function messageScript({ text }: SayPart, id: string): ItemScript {
  const item = { id, type: 'message', role: 'assistant' };
  const part = { type: 'output_text', annotations: [], logprobs: [], text };
  const at = { content_index: 0 };
  return {
    id,
    started: { ...item, status: 'in_progress', content: [] },
    growth: [
      ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
      ...words(text).map((delta) => ['response.output_text.delta', { ...at, delta, logprobs: [] }] as const),
      ['response.output_text.done', { ...at, text, logprobs: [] }],
      ['response.content_part.done', { ...at, part }],
    ],
    done: { ...item, status: 'completed', content: [part] },
  };
}

function reasoningScript(part: ThinkPart, id: string): ItemScript {
  const item = { id, type: 'reasoning' };
  const encrypted = part.encrypted === undefined ? {} : { encrypted_content: part.encrypted };
  const content = part.raw === undefined ? {} : { content: [{ type: 'reasoning_text', text: part.raw }] };
  return {
    id,
    started: { ...item, summary: [], ...encrypted },
    growth: [...part.summary.flatMap(summaryGrowth), ...(part.raw === undefined ? [] : rawReasoningGrowth(part.raw))],
    done: { ...item, summary: part.summary.map((text) => ({ type: 'summary_text', text })), ...content, ...encrypted },
  };
}

function summaryGrowth(text: string, index: number): ItemScript['growth'] {
  const at = { summary_index: index };
  return [
    ['response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }],
    ...words(text).map((delta) => ['response.reasoning_summary_text.delta', { ...at, delta }] as const),
    ['response.reasoning_summary_text.done', { ...at, text }],
    ['response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }],
  ];
}

function rawReasoningGrowth(text: string): ItemScript['growth'] {
  const at = { content_index: 0 };
  return [
    ['response.content_part.added', { ...at, part: { type: 'reasoning_text', text: '' } }],
    ...words(text).map((delta) => ['response.reasoning_text.delta', { ...at, delta }] as const),
    ['response.reasoning_text.done', { ...at, text }],
    ['response.content_part.done', { ...at, part: { type: 'reasoning_text', text } }],
  ];
}

function callScript(part: CallPart, id: string, callId: string): ItemScript {
  const place = part.namespace === undefined ? {} : { namespace: part.namespace };
  const item = { id, type: 'function_call', call_id: callId, name: part.name, ...place };
  return {
    id,
    started: { ...item, status: 'in_progress', arguments: '' },
    growth: [
      ...pieces(part.arguments).map((delta) => ['response.function_call_arguments.delta', { delta }] as const),
      ['response.function_call_arguments.done', { arguments: part.arguments }],
    ],
    done: { ...item, status: 'completed', arguments: part.arguments },
  };
}

function customCallScript(part: CustomCallPart, id: string, callId: string): ItemScript {
  const item = { id, type: 'custom_tool_call', call_id: callId, name: part.name };
  return {
    id,
    started: { ...item, status: 'in_progress', input: '' },
    growth: [
      ...pieces(part.input).map((delta) => ['response.custom_tool_call_input.delta', { delta }] as const),
      ['response.custom_tool_call_input.done', { input: part.input }],
    ],
    done: { ...item, status: 'completed', input: part.input },
  };
}

function emitEnding(emit: Emit, response: Fields, options: ReplyOptions): void {
  if (options.failed) {
    emit('response.failed', { response: { ...response, status: 'failed', error: options.failed, usage: null } });
    return;
  }
  const usage = options.omitUsage ? {} : { usage: usageFields(options.usage ?? {}) };
  if (options.incomplete !== undefined) {
    const details = { status: 'incomplete', incomplete_details: { reason: options.incomplete } };
    emit('response.incomplete', { response: { ...response, ...details, ...usage } });
    return;
  }
  const endTurn = options.endTurn === undefined ? {} : { end_turn: options.endTurn };
  emit('response.completed', { response: { ...response, status: 'completed', ...usage, ...endTurn } });
}

function usageFields(given: Partial<Usage>): Fields {
  const usage = { ...SCRIPTED_USAGE, ...given };
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens, cache_write_tokens: usage.cacheWriteInputTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningOutputTokens },
    total_tokens: given.totalTokens ?? usage.inputTokens + usage.outputTokens,
  };
}
