import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest, ToolChoice } from '../../base/model.ts';
import { declaredTools } from '../../wire/lowering/declared-tools.ts';
import { functionParts } from '../../wire/lowering/function-parts.ts';
import { encodePrompt } from './encode-prompt.ts';
import type { LanguageModel, LanguageModelCall, LanguageModelTool } from './language-model.ts';

/** Encodes a request. Fields without a value are absent. */
export function encodeCall(request: ModelRequest, { specificationVersion }: LanguageModel): LanguageModelCall {
  const tools = Array.from(declaredTools(request.tools), ([name, tool]): LanguageModelTool => {
    const { description, strict, parameters } = functionParts(tool);
    const hasStrict = strict && specificationVersion !== 'v2';
    return { type: 'function', name, description, inputSchema: parameters, ...(hasStrict && { strict }) };
  });
  return {
    prompt: encodePrompt(request),
    ...(tools.length > 0 && { tools, toolChoice: toolChoiceOf(request.toolChoice) }),
    ...responseFormat(request.text),
    ...sampling(request.sampling),
  };
}

function toolChoiceOf(choice: ToolChoice): NonNullable<LanguageModelCall['toolChoice']> {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
}

function responseFormat(text: ModelRequest['text']): Pick<LanguageModelCall, 'responseFormat'> {
  const format = text?.schema;
  if (format === undefined) return {};
  const { name, schema, description, anyObject } = format;
  if (anyObject || !isRecord(schema)) return { responseFormat: { type: 'json' } };
  return { responseFormat: { type: 'json', schema, name, ...(description !== undefined && { description }) } };
}

function sampling(settings: ModelRequest['sampling'] = {}): Partial<LanguageModelCall> {
  const { temperature, topP, maxOutputTokens, stop, seed, presencePenalty, frequencyPenalty } = settings;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(stop !== undefined && { stopSequences: [...stop] }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
  };
}
