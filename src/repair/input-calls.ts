import { type ContentPart, type Item, isCallOutput } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { RepairTool } from './context.ts';
import { callSignature } from './found-calls.ts';
import type { TextCall } from './text/dialect.ts';
import { type CallsInDocument, findCalls } from './text/find-calls.ts';

type Tools = ReadonlyMap<string, RepairTool>;

/**
 * Returns a function that reports whether the model could read a call in its request: in instructions, messages of
 * others, outputs of tools, files and descriptions of tools. Its own messages and calls do not count. Texts are scanned
 * when a call was found in an answer, and each item only once. The function lives as long as the answer, so it keeps only
 * items that count, without their images.
 */
export function quotedCalls(
  { instructions, input, tools: offered }: Pick<ModelRequest, 'instructions' | 'input' | 'tools'>,
  tools: Tools,
): (call: TextCall) => boolean {
  const items = input.filter(isOfOthers).map(withoutImages);
  return ({ name, arguments: text }) => {
    const signature = callSignature(name, text);
    const has = (calls: CallsInDocument) => calls === 'too many' || calls.has(signature);
    return (
      has(findCalls(instructions, tools)) ||
      has(cached(offered, tools, () => JSON.stringify(offered))) ||
      items.some((item) => has(cached(item, tools, () => textOf(item))))
    );
  };
}

/** Reports whether the model did not write an item. */
function isOfOthers(item: Item): boolean {
  return item.type === 'message' ? item.role !== 'assistant' : !OF_THE_MODEL.has(item.type);
}

const OF_THE_MODEL: ReadonlySet<Item['type']> = new Set<Item['type']>([
  'reasoning',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
]);

/** Items without their images. The same item always becomes the same object, for the calls that are known of it. */
const slim = new WeakMap<Item, Item>();

function withoutImages(item: Item): Item {
  const parts = partsOf(item);
  if (!parts.some(isImage)) return item;
  let left = slim.get(item);
  if (left === undefined) {
    const kept = parts.filter((part) => !isImage(part));
    left = item.type === 'message' ? { ...item, content: kept } : ({ ...item, output: kept } as Item);
    slim.set(item, left);
  }
  return left;
}

function partsOf(item: Item): readonly ContentPart[] {
  if (item.type === 'message') return item.content;
  return isCallOutput(item) && typeof item.output !== 'string' ? item.output : [];
}

function isImage({ type }: ContentPart): boolean {
  return type === 'input_image';
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

function textOf(item: Item): string {
  if (isCallOutput(item)) return typeof item.output === 'string' ? item.output : textOfParts(item.output);
  return item.type === 'message' ? textOfParts(item.content) : JSON.stringify(item);
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
