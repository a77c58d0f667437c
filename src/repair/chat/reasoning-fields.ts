import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { textOf, writtenJson } from '../field-values.ts';

/** Reasoning of a delta. */
export interface ReadReasoning {
  readonly thought: string;
  /** `plain`: in one text field. `details`: in details only. `other`: in another field, or in two (E1). */
  readonly form: 'plain' | 'details' | 'other';
}

/**
 * Reads the reasoning of a delta. Details next to reasoning_content are correct: they are sent back, not read. Next to
 * reasoning, details have the better text, unless they only repeat the text before.
 */
export function readReasoning(delta: Fields): ReadReasoning {
  const { reasoning_content, reasoning, reasoning_details } = delta;
  const own = textOf(reasoning_content);
  if (own !== '') return { thought: own, form: textIn(reasoning) === '' ? 'plain' : 'other' };
  const details = detailsText(reasoning_details);
  const mirror = textOf(reasoning);
  if (mirror === '' && details !== '') return { thought: details, form: 'details' };
  if (mirror === '') return { thought: textIn(reasoning_content) || textIn(reasoning), form: 'other' };
  return { thought: details.endsWith(mirror) ? mirror : details || mirror, form: details === '' ? 'plain' : 'other' };
}

/** Returns the reasoning that a reader of one text field sees. */
export function seenReasoning({ reasoning_content, reasoning }: Fields): string {
  return textOf(reasoning_content) || textOf(reasoning);
}

/** Returns the delta with its reasoning in one text field, or without reasoning. Details stay. */
export function withReasoning({ reasoning_content, reasoning, ...delta }: Fields, thought: string): Fields {
  if (thought === '') return delta;
  const name = textOf(reasoning_content) === '' && textOf(reasoning) !== '' ? 'reasoning' : 'reasoning_content';
  return { ...delta, [name]: thought };
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
