import type { CallItem, ContentPart, Item, MessageItem, ReasoningItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest } from '../../base/model.ts';
import { textParts } from '../../wire/chat/content-parts.ts';
import { ATTACHED_IMAGE } from '../../wire/lowering/attached-media.ts';
import { renamedTools } from '../../wire/lowering/declared-tools.ts';
import { toolKey } from '../../wire/lowering/flat-name.ts';
import { toFunctionForm } from '../../wire/lowering/function-form.ts';
import { type AnsweredCall, groupHistory, type ResponseGroup } from '../../wire/lowering/group-history.ts';
import { parsedJson } from '../../wire/lowering/parsed-json.ts';
import { keptFields } from './kept-fields.ts';
import type { LanguageModelInput, LanguageModelMessage, LanguageModelOutput } from './language-model.ts';

/**
 * Encodes the history. Providers accept system messages only at the beginning, so a later message of the program becomes
 * a message of the user. Images in results follow in a message of the user, since few providers accept them elsewhere.
 */
export function encodePrompt({ instructions, input, tools, failedCalls }: ModelRequest): LanguageModelMessage[] {
  const context: Context = {
    place: new Map(input.map((item, index) => [item, index])),
    kept: keptFields(input),
    renamed: renamedTools(tools),
    failed: failedCalls ?? new Set(),
  };
  const groups = groupHistory(input);
  const begun = groups.findIndex((group) => group.kind === 'response' || !isOfProgram(group.message));
  const first = groups.slice(0, begun < 0 ? groups.length : begun);
  const system = [
    ...(instructions === '' ? [] : [instructions]),
    ...first.flatMap((group) => (group.kind === 'message' ? textParts(group.message.content) : [])),
  ];
  return [
    ...(system.length === 0 ? [] : [{ role: 'system' as const, content: system.join('\n\n') }]),
    ...groups.slice(first.length).flatMap((group) => {
      return group.kind === 'message'
        ? userMessage(inputParts(group.message.content))
        : responseMessages(group, context);
    }),
  ];
}

interface Context {
  readonly place: ReadonlyMap<Item, number>;
  readonly kept: ReturnType<typeof keptFields>;
  readonly renamed: ReadonlyMap<string, string>;
  readonly failed: ReadonlySet<string>;
}

function isOfProgram({ role, content }: MessageItem): boolean {
  return (role === 'developer' || role === 'system') && content.every(({ type }) => type === 'input_text');
}

function userMessage(content: LanguageModelInput[]): LanguageModelMessage[] {
  return content.length === 0 ? [] : [{ role: 'user', content }];
}

function responseMessages({ reasoning, messages, calls }: ResponseGroup, context: Context): LanguageModelMessage[] {
  const items = [...reasoning, ...messages, ...calls.map(({ call }) => call)];
  const inOrder = items.sort((a, b) => (context.place.get(a) ?? 0) - (context.place.get(b) ?? 0));
  const content = inOrder.flatMap((item) => outputPart(item, context));
  const images = calls.flatMap(({ output }) => (typeof output?.output === 'object' ? imageParts(output.output) : []));
  const results = calls.map((answered) => resultPart(answered, context));
  return [
    ...(content.length === 0 ? [] : [{ role: 'assistant' as const, content }]),
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...userMessage(images),
  ];
}

function outputPart(item: MessageItem | ReasoningItem | CallItem, context: Context): LanguageModelOutput[] {
  const fields = context.kept(item);
  const kept = fields && { providerOptions: fields };
  if (item.type === 'message') {
    const text = textParts(item.content).join('');
    return text === '' ? [] : [{ type: 'text', text, ...kept }];
  }
  if (item.type === 'reasoning') {
    const text = (item.content ?? item.summary).map((part) => part.text).join('\n\n');
    return text === '' && !kept ? [] : [{ type: 'reasoning', text, ...kept }];
  }
  const { arguments: written } = toFunctionForm(item);
  const value = parsedJson(written);
  const input = isRecord(value) ? value : { input: written };
  return [{ type: 'tool-call', toolCallId: item.call_id, toolName: nameOf(item, context), input, ...kept }];
}

function resultPart({ call, output }: AnsweredCall, context: Context) {
  const type = context.failed.has(call.call_id) ? ('error-text' as const) : ('text' as const);
  const value = resultText(output?.output ?? 'aborted');
  return {
    type: 'tool-result' as const,
    toolCallId: call.call_id,
    toolName: nameOf(call, context),
    output: { type, value },
  };
}

function resultText(output: string | readonly ContentPart[]): string {
  if (typeof output === 'string') return output;
  const texts = textParts(output);
  return texts.length === 0 && imageParts(output).length > 0 ? ATTACHED_IMAGE : texts.join('\n');
}

function nameOf(call: CallItem, { renamed }: Context): string {
  const name = call.type === 'local_shell_call' ? undefined : renamed.get(toolKey(call.namespace, call.name));
  return name ?? toFunctionForm(call).name;
}

function inputParts(parts: readonly ContentPart[]): LanguageModelInput[] {
  return parts.flatMap((part): LanguageModelInput[] => [
    ...textParts([part]).map((text) => ({ type: 'text' as const, text })),
    ...imageParts([part]),
  ]);
}

/** Returns images and files. Data goes out as such, an address as an address. */
function imageParts(parts: readonly ContentPart[]): LanguageModelInput[] {
  return parts.flatMap((part): LanguageModelInput[] => {
    if (part.type === 'input_image') return [filePart(part.image_url, 'image/*')];
    if (part.type !== 'input_file' || typeof part.file_data !== 'string') return [];
    const name = typeof part.filename === 'string' ? { filename: part.filename } : {};
    return [{ ...filePart(part.file_data, 'application/octet-stream'), ...name }];
  });
}

type InputFile = Extract<LanguageModelInput, { type: 'file' }>;

function filePart(url: string, fallback: string): InputFile {
  const [, mediaType = fallback, data] = /^data:([^;,]+)[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (data !== undefined) return { type: 'file', mediaType, data };
  return { type: 'file', mediaType, data: URL.canParse(url) ? new URL(url) : url };
}
