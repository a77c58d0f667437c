import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import { isBlank } from '../white-space.ts';
import type { OpenMessage } from './open-item.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Returns the content of a message as a list (E7). The same list if it is right. */
export function messageContent(
  item: Fields,
  message: OpenMessage,
  { reporter }: ResponsesRepairState,
): readonly unknown[] {
  const { content } = item;
  if (Array.isArray(content)) {
    if (content.some(isPlainText)) {
      const parts = content.map((part) => (isPlainText(part) ? { ...part, type: 'output_text' } : part));
      reporter.report('E7', { before: content, after: parts });
      return parts;
    }
    const streamed = content.length > 0 ? '' : streamedText(message);
    if (isBlank(streamed)) return content;
    const parts = [textPart(streamed)];
    reporter.report('H10', { before: content, after: parts });
    return parts;
  }
  const text = wordOf(content) ?? streamedText(message);
  const parts = text === '' ? [] : [textPart(text)];
  reporter.report('E7', { before: content ?? null, after: parts });
  return parts;
}

/** Returns a reasoning item with the lists it must have (E10). The same item if it has them. */
export function reasoningItem(item: Fields, { reporter }: ResponsesRepairState): Fields {
  const { summary, content } = item;
  const next = {
    ...item,
    ...(!Array.isArray(summary) && { summary: partsOf('summary_text', summary) }),
    ...(typeof content === 'string' && { content: partsOf('reasoning_text', content) }),
  };
  if (Array.isArray(summary) && typeof content !== 'string') return item;
  reporter.report('E10', { before: item, after: next });
  return next;
}

export function textPart(text: string): Fields {
  return { type: 'output_text', text, annotations: [] };
}

/** Returns the texts of a list of parts, refusals included. */
export function textsOf(parts: unknown): readonly string[] {
  if (!Array.isArray(parts)) return [];
  return parts.map((part) => fieldsOf(part).text ?? fieldsOf(part).refusal).filter((text) => typeof text === 'string');
}

function partsOf(type: string, text: unknown): readonly Fields[] {
  return typeof text === 'string' && text !== '' ? [{ type, text }] : [];
}

function isPlainText(part: unknown): part is Fields {
  return isRecord(part) && part.type === 'text' && typeof part.text === 'string';
}

/** Returns the text that the deltas of a message brought. */
function streamedText({ parts }: OpenMessage): string {
  return [...parts.values()].map((part) => part.whole ?? '').join('');
}
