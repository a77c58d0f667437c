import type { ModelRequest, Sampling, ToolChoice } from '../../base/model.ts';
import { type RequestText, requestText } from '../../base/request-text.ts';
import type { Compat } from '../../base/wire.ts';
import { writeSampling } from '../fields/sampling-fields.ts';
import { encodeMessages } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';
import { writeEffort, writeThinking } from './thinking-fields.ts';

/**
 * Encodes a request. Two marks ask the server to cache it. The one in the system's text is for other threads with the
 * same instructions and tools. The one of the whole request makes the server mark the last block by itself: a mark of
 * ours there would have to move with every request, and each move would change a message that was sent before.
 */
export function encodeRequest(request: ModelRequest, compat: Compat): RequestText {
  const { system, messages } = encodeMessages(request, compat);
  const tools = encodeTools(request.tools);
  const thinking = writeThinking(request);
  return requestText([
    ['model', JSON.stringify(request.model)],
    ['system', system === '' ? undefined : systemText(system)],
    ['tools', tools === '' ? undefined : tools],
    ['messages', messages],
    ['tool_choice', tools === '' ? undefined : toolChoice(request, compat)],
    ['stream', 'true'],
    ['thinking', JSON.stringify(thinking)],
    ['output_config', outputConfig(request)],
    ...Object.entries(samplingFields(request.sampling, thinking?.type === 'adaptive')),
    ['cache_control', CACHED],
  ]);
}

const CACHED = '{"type":"ephemeral"}';

function systemText(text: string): string {
  return `[{"type":"text","text":${JSON.stringify(text)},"cache_control":${CACHED}}]`;
}

/** Returns the choice; undefined for the default. Custom tools are functions, so a choice of one names a function too. */
function toolChoice({ toolChoice: choice, parallelToolCalls }: ModelRequest, compat: Compat): string | undefined {
  const isParallel = parallelToolCalls && compat.parallelToolCalls;
  if (choice === 'none') return '{"type":"none"}';
  if (choice === 'auto' && isParallel) return undefined;
  return JSON.stringify({ ...chosen(choice), ...(!isParallel && { disable_parallel_tool_use: true }) });
}

function chosen(choice: Exclude<ToolChoice, 'none'>): object {
  if (typeof choice !== 'string') return { type: 'tool', name: choice.name };
  return { type: choice === 'required' ? 'any' : 'auto' };
}

/** Returns the effort and the format of the answer. This wire has no format for an object without a schema. */
function outputConfig({ reasoning, text }: ModelRequest): string | undefined {
  const effort = writeEffort(reasoning);
  const schema = text?.schema;
  const format = schema && !schema.anyObject ? { type: 'json_schema', schema: schema.schema } : undefined;
  return effort === undefined && format === undefined ? undefined : JSON.stringify({ effort, format });
}

/** Limit of an answer where the request has none. This wire requires a limit, and most models can write this much. */
const USUAL_LIMIT = 32_000;

function samplingFields(sampling: Sampling = {}, thinks: boolean): Readonly<Record<string, string>> {
  const { maxOutputTokens = USUAL_LIMIT, temperature, topP, topK, serviceTier, user } = sampling;
  const usual: Sampling = {
    maxOutputTokens,
    ...(sampling.stop !== undefined && { stop: sampling.stop }),
    // Servers refuse a temperature above one, and any temperature and `top_k` while the model thinks.
    ...(temperature !== undefined && !thinks && { temperature: Math.min(temperature, 1) }),
    ...(topK !== undefined && !thinks && { topK }),
    ...(topP !== undefined && (!thinks || topP >= LEAST_TOP_P) && { topP }),
  };
  return {
    ...writeSampling(usual, SAMPLING_NAMES),
    ...(serviceTier !== undefined && { service_tier: JSON.stringify(TIERS.get(serviceTier) ?? 'auto') }),
    ...(user !== undefined && { metadata: JSON.stringify({ user_id: user }) }),
  };
}

/** The least value that servers accept while the model thinks. */
const LEAST_TOP_P = 0.95;

/** Tiers of service without priority. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['default', 'standard_only'],
  ['flex', 'standard_only'],
]);
