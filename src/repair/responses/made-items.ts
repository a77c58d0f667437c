import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf } from '../field-values.ts';

/** Returns the events, from the announcement to the end, of an item that came only as a whole. */
export function itemEvents(item: Fields, index: unknown): readonly Fields[] {
  const place = { ...(item.id !== undefined && { item_id: item.id }), output_index: index };
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, ...BEGINNINGS[String(item.type)] } },
    ...between(item, place),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

const WORKING = { status: 'in_progress' };

/** Fields of an item that was just announced, by its type. */
const BEGINNINGS: Readonly<Record<string, Fields>> = {
  message: { ...WORKING, content: [] },
  reasoning: { summary: [], content: [] },
  function_call: { ...WORKING, arguments: '' },
  custom_tool_call: { ...WORKING, input: '' },
};

function between(item: Fields, place: Fields): readonly Fields[] {
  switch (item.type) {
    case 'message':
      return listOf(item.content).flatMap((part, n) => messagePart(part, { ...place, content_index: n }));
    case 'reasoning':
      return [
        ...listOf(item.summary).flatMap((part, n) => summaryPart(part, { ...place, summary_index: n })),
        ...listOf(item.content).flatMap((part, n) => run('reasoning_text', part.text, { ...place, content_index: n })),
      ];
    case 'function_call':
      return run('function_call_arguments', item.arguments, place, 'arguments');
    case 'custom_tool_call':
      return run('custom_tool_call_input', item.input, place, 'input');
    default:
      return [];
  }
}

function messagePart(part: Fields, place: Fields): readonly Fields[] {
  if (part.type !== 'output_text') return [];
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...run('output_text', part.text, place),
    { type: 'response.content_part.done', ...place, part },
  ];
}

function summaryPart(part: Fields, place: Fields): readonly Fields[] {
  return [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...run('reasoning_summary_text', part.text, place),
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ];
}

function run(kind: string, text: unknown, place: Fields, name = 'text'): readonly Fields[] {
  if (typeof text !== 'string' || text === '') return [];
  return [
    { type: `response.${kind}.delta`, ...place, delta: text },
    { type: `response.${kind}.done`, ...place, [name]: text },
  ];
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord).map(fieldsOf) : [];
}
