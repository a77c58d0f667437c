import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { textOf, writtenJson } from '../field-values.ts';

/** What a delta says of reasoning. */
export interface ReadReasoning {
  readonly thought: string;
  /** `plain`: readers of one field see it. `details`: it stands in details only. `other`: elsewhere, or twice (E1). */
  readonly form: 'plain' | 'details' | 'other';
}

/**
 * The reasoning of a delta. Details beside reasoning_content are no fault: they are to be sent back, not to be read.
 * Beside reasoning they are the better text, unless they only repeat what came before it.
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

/** The reasoning that a reader of one text field sees. */
export function seenReasoning({ reasoning_content, reasoning }: Fields): string {
  return textOf(reasoning_content) || textOf(reasoning);
}

/** The delta with its reasoning in the one field for it; without it if there is none. Details stay. */
export function withReasoning({ reasoning_content, reasoning, ...delta }: Fields, thought: string): Fields {
  if (thought === '') return delta;
  const name = textOf(reasoning_content) === '' && textOf(reasoning) !== '' ? 'reasoning' : 'reasoning_content';
  return { ...delta, [name]: thought };
}

/** The same under the name that every reader knows. */
export function canonicalReasoning({ reasoning_content, reasoning, ...delta }: Fields, thought: string): Fields {
  return { ...delta, reasoning_content: thought };
}

/** Content that is a list of parts, as the two texts that it is (E7). */
export function readParts(content: readonly unknown[]): { readonly content: string; readonly thought: string } {
  const parts = content.map(readPart);
  return { content: parts.map((part) => part.text).join(''), thought: parts.map((part) => part.thought).join('') };
}

/** The entries with a text; summaries only where there is no other. */
export function detailsText(details: unknown): string {
  if (!Array.isArray(details)) return '';
  const entries = details.filter(isRecord);
  return entries.map((entry) => textOf(entry.text)).join('') || entries.map((entry) => textOf(entry.summary)).join('');
}

/** What details say besides their texts. */
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
