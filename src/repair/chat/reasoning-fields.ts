import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { textOf, writtenJson } from '../field-values.ts';

/** Reasoning of a delta. */
export interface ReadReasoning {
  readonly thought: string;
  /** `plain`: in a text field. `details`: in details only. `other`: in an object or a list (E1). */
  readonly form: 'plain' | 'details' | 'other';
}

/** Reads the reasoning of a delta. Details next to a text are correct: they are sent back, not read. */
export function readReasoning(delta: Fields): ReadReasoning {
  const plain = seenReasoning(delta);
  if (plain !== '') return { thought: plain, form: 'plain' };
  const details = detailsText(delta.reasoning_details);
  if (details !== '') return { thought: details, form: 'details' };
  return { thought: textIn(delta.reasoning_content) || textIn(delta.reasoning), form: 'other' };
}

/** Returns the reasoning that a reader of one text field sees. Some servers send the same text under both names. */
export function seenReasoning({ reasoning_content, reasoning }: Fields): string {
  return textOf(reasoning_content) || textOf(reasoning);
}

/** Names of the text field of reasoning. Servers use either, and clients look for the name that their server uses. */
export type ReasoningName = 'reasoning_content' | 'reasoning';

/** Returns the delta with its reasoning in the fields that it came in, or without reasoning. Details stay. */
export function withReasoning({ reasoning_content, reasoning, ...delta }: Fields, thought: string): Fields {
  if (thought === '') return delta;
  const isOther = textOf(reasoning) !== '';
  const isOwn = textOf(reasoning_content) !== '' || !isOther;
  return { ...delta, ...(isOwn && { reasoning_content: thought }), ...(isOther && { reasoning: thought }) };
}

/** Returns the delta with its reasoning under the name that every reader knows. */
export function canonicalReasoning({ reasoning_content, reasoning, ...delta }: Fields, thought: string): Fields {
  return { ...delta, reasoning_content: thought };
}

/** Reads content that is a list of parts as answer and reasoning (E7). */
export function readParts(content: readonly unknown[]): { readonly content: string; readonly thought: string } {
  const parts = content.map(readPart);
  return { content: parts.map((part) => part.text).join(''), thought: parts.map((part) => part.thought).join('') };
}

/** Returns the text of details. Summaries count only if there is no other text. */
export function detailsText(details: unknown): string {
  if (!Array.isArray(details)) return '';
  const entries = details.filter(isRecord);
  return entries.map((entry) => textOf(entry.text)).join('') || entries.map((entry) => textOf(entry.summary)).join('');
}

/** Returns the fields of details besides their texts. */
export function detailsShape(details: unknown): string {
  if (!Array.isArray(details)) return '';
  return writtenJson(details.map((entry) => (isRecord(entry) ? { ...entry, text: null, summary: null } : entry))) ?? '';
}

function readPart(part: unknown): { readonly text: string; readonly thought: string } {
  if (!isRecord(part)) return { text: textOf(part), thought: '' };
  const isThought = part.type === 'thinking' || part.type === 'reasoning' || part.thinking !== undefined;
  if (!isThought) return { text: textOf(part.text), thought: '' };
  return { text: '', thought: textIn(part.thinking) || textIn(part.reasoning) || textOf(part.text) };
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((part) => (isRecord(part) ? textOf(part.text) : textOf(part))).join('');
  return isRecord(value) ? textOf(value.content) || textOf(value.text) : '';
}
