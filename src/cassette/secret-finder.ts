import { MIN_SECRET_CHARS } from '../base/redact-url.ts';
import { toBinaryText } from './binary-text.ts';
import { REDACTED } from './cassette.ts';

/** A finder of secrets in texts. */
export interface SecretFinder {
  /** Returns the spans of secrets in a text, sorted and without overlaps. */
  find(text: string): SecretSpan[];
  /** Returns the spans of secrets in a text of `toBinaryText`. */
  findBytes(binaryText: string): SecretSpan[];
  redact(text: string): string;
}

/** A range from `start` up to but not including `end`. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Creates a finder of these values, also escaped for JSON or for a URL, and of any text in the shape of a key. */
export function createSecretFinder(values: Iterable<string>): SecretFinder {
  const forms = [...new Set([...values].filter(isSecret).flatMap(writtenForms))];
  const binaryForms = forms.map((form) => toBinaryText(new TextEncoder().encode(form)));
  const find = (text: string) => spansOf(text, forms);
  return {
    find,
    findBytes: (binaryText) => spansOf(binaryText, binaryForms),
    redact: (text) => replaceSpans(text, find(text)),
  };
}

/** Sorts spans and merges overlapping ones. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

function isSecret(value: string): boolean {
  return value.length >= MIN_SECRET_CHARS && !REDACTED.includes(value);
}

/**
 * Returns all escaped forms of a value. A text inside JSON is escaped, and the arguments of calls are JSON inside JSON.
 */
function writtenForms(value: string): string[] {
  const once = escapeJson(value);
  return [value, once, escapeJson(once), once.replaceAll('/', '\\/'), escapeUrl(value)];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeUrl(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Position where a word may begin. The end of an escape sequence counts as such, although it looks like a part of a
 * word.
 */
const WORD_START = String.raw`(?<=^|[^A-Za-z0-9]|\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2})`;

const SHAPES: readonly RegExp[] = [
  new RegExp(`${WORD_START}(?:sk-|[rs]k_(?:live|test)_|gh[ops]_|github_pat_|xox[abp]-)[A-Za-z0-9_-]{16,}`, 'g'),
  new RegExp(String.raw`${WORD_START}eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`, 'g'),
  /(?<=\bbearer\s+)[A-Za-z0-9._~+/-]{16,}=*/gi,
];

function spansOf(text: string, forms: readonly string[]): SecretSpan[] {
  const known = forms.flatMap((form) => occurrences(text, form));
  const shaped = SHAPES.flatMap((shape) => [...text.matchAll(shape)].map(toSpan));
  return mergeSpans([...known, ...shaped].map((span) => wholeEscapes(text, span)));
}

function occurrences(text: string, form: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    spans.push({ start: at, end: at + form.length });
  }
  return spans;
}

function toSpan({ index, 0: found }: RegExpExecArray): SecretSpan {
  return { start: index, end: index + found.length };
}

/** Extends a span to whole escape sequences: half a sequence would make the JSON around it invalid. */
function wholeEscapes(text: string, { start, end }: SecretSpan): SecretSpan {
  return {
    start: backslashesBefore(text, start) % 2 === 1 ? start - 1 : start,
    end: backslashesBefore(text, end) % 2 === 1 && end < text.length ? end + 1 : end,
  };
}

function backslashesBefore(text: string, at: number): number {
  let first = at;
  while (first > 0 && text[first - 1] === '\\') first--;
  return at - first;
}

function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  let result = '';
  let at = 0;
  for (const { start, end } of spans) {
    result += text.slice(at, start) + REDACTED;
    at = end;
  }
  return result + text.slice(at);
}
