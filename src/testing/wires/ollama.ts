import { isRecord } from '../../base/json-schema.ts';
import { parsedJson } from '../../wire/lowering/parsed-json.ts';
import { decodeRequest } from '../../wire/ollama/decode-request.ts';
import { words } from '../cut-text.ts';
import { type CallPart, type CustomCallPart, type Reply, type ReplyOptions, SCRIPTED_USAGE } from '../reply.ts';
import type { EncodeContext, FrameStep, ReplyStep, ReplyWire } from '../reply-wire.ts';

/** Ollama's own wire: a line for each word and each whole call, then the line that ends the response. */
export const ollamaReplyWire: ReplyWire = {
  path: '/chat',
  contentType: 'application/x-ndjson',
  brokenFrame: lineFrame('{"message":{"role":"assistant","content":"half a'),
  encode,
  decodeRequest,
};

type Fields = Readonly<Record<string, unknown>>;

function encode({ parts, options }: Reply, { ids, model }: EncodeContext): readonly ReplyStep[] {
  const steps: ReplyStep[] = [];
  const emit = (fields: Fields) => steps.push(lineFrame(JSON.stringify({ ...lineHead(model), ...fields })));
  const emitMessage = (said: Fields) => emit({ message: { role: 'assistant', content: '', ...said }, done: false });
  let calls = 0;

  for (const part of parts) {
    if (part.kind === 'pause' || part.kind === 'gate') steps.push(part);
    else if (part.kind === 'raw') steps.push(lineFrame(part.data));
    else if (part.kind === 'say') for (const content of words(part.text)) emitMessage({ content });
    else if (part.kind === 'think') {
      for (const thinking of words(part.raw ?? part.summary.join('\n\n'))) emitMessage({ thinking });
    } else emitMessage({ tool_calls: [callFields(part, calls++, ids)] });
  }
  // The protocol has no codes of failures. Readers of this one know the field anyway.
  if (options.failed)
    steps.push(lineFrame(JSON.stringify({ error: options.failed.message, code: options.failed.code })));
  else emit({ message: { role: 'assistant', content: '' }, done: true, ...endFields(options) });
  return steps;
}

function lineFrame(data: string): FrameStep {
  return { kind: 'frame', bytes: Buffer.from(`${data.replaceAll(/[\r\n]+/g, ' ')}\n`) };
}

function lineHead(model: string): Fields {
  // The time is fixed, so that the same script produces the same bytes.
  return { model, created_at: '2025-10-09T08:53:20Z' };
}

/** Returns a whole call. Arguments that are not an object are sent as the text that they are. */
function callFields(part: CallPart | CustomCallPart, index: number, ids: EncodeContext['ids']): Fields {
  const text = part.kind === 'call' ? part.arguments : JSON.stringify({ input: part.input });
  const value = parsedJson(text);
  const id = part.callId ?? ids.next('call');
  return { id, function: { index, name: part.name, arguments: isRecord(value) ? value : text } };
}

/** Reasons of the protocol, by the reason for which a response is incomplete. */
const DONE_REASONS = new Map([['max_output_tokens', 'length']]);

function endFields({ incomplete = 'stop', finishReason, usage, omitUsage = false }: ReplyOptions): Fields {
  const reason = finishReason === undefined ? (DONE_REASONS.get(incomplete) ?? incomplete) : finishReason;
  const { inputTokens, outputTokens } = { ...SCRIPTED_USAGE, ...usage };
  return {
    ...(reason !== null && { done_reason: reason }),
    total_duration: 1_000_000,
    load_duration: 0,
    ...(!omitUsage && { prompt_eval_count: inputTokens }),
    prompt_eval_duration: 500_000,
    ...(!omitUsage && { eval_count: outputTokens }),
    eval_duration: 500_000,
  };
}
