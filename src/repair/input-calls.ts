import { type ContentPart, type Item, isCallOutput } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { RepairTool } from './context.ts';
import { callSignature } from './found-calls.ts';
import type { TextCall } from './text/dialect.ts';
import { type CallsInDocument, findCalls } from './text/find-calls.ts';

type Tools = ReadonlyMap<string, RepairTool>;

/**
 * Reports whether the model could read a call in its request: in instructions, messages of others, outputs of tools,
 * files and descriptions of tools. Its own messages and calls do not count. Texts are scanned when a call was found in
 * an answer, and each item only once.
 */
export function isCallIn(
  { instructions, input, tools: offered }: Pick<ModelRequest, 'instructions' | 'input' | 'tools'>,
  tools: Tools,
  { name, arguments: text }: TextCall,
): boolean {
  const signature = callSignature(name, text);
  const has = (calls: CallsInDocument) => calls === 'too many' || calls.has(signature);
  return (
    has(findCalls(instructions, tools)) ||
    has(cached(offered, tools, () => JSON.stringify(offered))) ||
    input.some((item) => has(cached(item, tools, () => textOf(item))))
  );
}

/** Calls in objects that do not change, by the tools that they were looked for. */
const known = new WeakMap<Tools, WeakMap<object, CallsInDocument>>();

function cached(holder: object, tools: Tools, read: () => string): CallsInDocument {
  let all = known.get(tools);
  if (all === undefined) {
    all = new WeakMap();
    known.set(tools, all);
  }
  let calls = all.get(holder);
  if (calls === undefined) {
    calls = findCalls(read(), tools);
    all.set(holder, calls);
  }
  return calls;
}

/** Returns the text of an item that the model did not write. */
function textOf(item: Item): string {
  if (isCallOutput(item)) return typeof item.output === 'string' ? item.output : textOfParts(item.output);
  switch (item.type) {
    case 'message':
      return item.role === 'assistant' ? '' : textOfParts(item.content);
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return '';
    default:
      return JSON.stringify(item);
  }
}

/** Joins the texts without a gap: a call may begin in one part and end in the next. */
function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map(textOfPart).join('');
}

function textOfPart(part: ContentPart): string {
  if ('text' in part && typeof part.text === 'string') return part.text;
  if (part.type !== 'input_file' || typeof part.file_data !== 'string') return '';
  const [, data] = BASE64.exec(part.file_data) ?? [];
  return data === undefined ? part.file_data : Buffer.from(data, 'base64').toString();
}

const BASE64 = /^(?:data:[^,]*;base64,)?([\w+/]+={0,2})$/;
