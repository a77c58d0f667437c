import { flatMap } from '../../base/flat-map.ts';
import type { ContentPart, Item, MessageItem, Output } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { type FieldReader, type Fields, listOf, object, optional, string, wrong } from '../fields/request-fields.ts';
import { contentParts } from './content-blocks.ts';
import { clientReasoning } from './reasoning-blocks.ts';

/** The history of a client's request. */
export interface DecodedHistory {
  readonly instructions: string;
  readonly input: readonly Item[];
  /** Ids of the calls whose results are errors. */
  readonly failed: ReadonlySet<string>;
}

/** Decodes the system's text and the messages of a request. */
export function decodeMessages({ system, messages }: Fields): DecodedHistory {
  const instructions = optional(system, 'system', content) ?? [];
  const failed = new Set<string>();
  const input = flatMap(listOf(object)(messages, 'messages'), (message, i) =>
    decodeMessage(message, `messages[${i}]`, failed),
  );
  const texts = flatMap(contentParts(instructions), textOf);
  return { instructions: texts.filter((text) => !ACCOUNTING.test(text)).join('\n\n'), input, failed };
}

/** A header for the accounts of the client's own server, as a text. It differs from thread to thread. */
const ACCOUNTING = /^x-[\w-]*billing-header:[^\n]*$/;

/** Reads a content as blocks. A text stands for one block. */
const content: FieldReader<readonly Fields[]> = (value, field) => {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (!Array.isArray(value)) throw wrong(field, 'a string or an array of blocks');
  return value.filter(isRecord);
};

function textOf(part: ContentPart): readonly string[] {
  return part.type === 'input_text' ? [part.text] : [];
}

function decodeMessage(message: Fields, field: string, failed: Set<string>): readonly Item[] {
  const { role } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    throw wrong(`${field}.role`, '"user", "assistant" or "system"');
  }
  const blocks = content(message.content, `${field}.content`);
  return flatMap(runsOf(blocks), ([first, ...rest]): readonly Item[] => {
    const place = `${field}.content[${blocks.indexOf(first)}]`;
    if (first.type === 'tool_use') return [callItem(first, place)];
    if (first.type === 'tool_result') return [resultItem(first, place, failed)];
    const thought = clientReasoning(first);
    return thought === undefined ? messageItems(role, [first, ...rest]) : [thought];
  });
}

type Run = readonly [Fields, ...Fields[]];

/** Splits blocks into items: results, calls and thoughts stand alone, and all other blocks in a row are one message. */
function runsOf(blocks: readonly Fields[]): readonly Run[] {
  const runs: [Fields, ...Fields[]][] = [];
  let last: Fields[] | undefined;
  for (const block of blocks) {
    const isAlone = ALONE.has(block.type);
    if (last !== undefined && !isAlone) last.push(block);
    else {
      const run: [Fields, ...Fields[]] = [block];
      runs.push(run);
      last = isAlone ? undefined : run;
    }
  }
  return runs;
}

const ALONE: ReadonlySet<unknown> = new Set(['tool_use', 'tool_result', 'thinking', 'redacted_thinking']);

/** Returns a message; none if it has only blocks of tools that a server ran. */
function messageItems(role: 'user' | 'assistant' | 'system', blocks: Run): readonly MessageItem[] {
  const parts = contentParts(blocks);
  if (parts.length === 0) return [];
  if (role !== 'assistant') {
    return [{ type: 'message', role: role === 'system' ? 'developer' : 'user', content: parts }];
  }
  const spoken = flatMap(parts, textOf).map((text) => ({ type: 'output_text' as const, text }));
  return spoken.length === 0 ? [] : [{ type: 'message', role, content: spoken }];
}

function callItem(block: Fields, field: string): Item {
  return {
    type: 'function_call',
    name: string(block.name, `${field}.name`),
    arguments: JSON.stringify(optional(block.input, `${field}.input`, object) ?? {}),
    call_id: string(block.id, `${field}.id`),
  };
}

function resultItem(block: Fields, field: string, failed: Set<string>): Item {
  const call_id = string(block.tool_use_id, `${field}.tool_use_id`);
  if (block.is_error === true) failed.add(call_id);
  const parts = contentParts(optional(block.content, `${field}.content`, content) ?? []);
  return { type: 'function_call_output', call_id, output: outputOf(parts) };
}

/** Returns an output. Texts alone are one text. */
function outputOf(parts: readonly ContentPart[]): Output {
  const texts = flatMap(parts, textOf);
  return texts.length === parts.length ? texts.join('\n') : parts;
}
