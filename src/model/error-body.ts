import { isRecord } from '../base/json-schema.ts';

/** Content of the body of a failed request. */
export interface ErrorBody {
  /** The message for people, bounded; empty when the body has none. */
  readonly message: string;
  /** The codes for programs that the body has: `error.code` and `error.type`. */
  readonly codes: readonly string[];
  /** The error object itself, where the body has one. */
  readonly error?: Readonly<Record<string, unknown>>;
}

const MAX_MESSAGE_CHARS = 1000;
const MAX_HTML_CHARS = 200;

/** Reads the error from a body: JSON in the shapes that servers use, HTML, or plain text. */
export function parseErrorBody(text: string): ErrorBody {
  const json = parseJson(text);
  const outer = Array.isArray(json) ? json[0] : json;
  if (!isRecord(outer)) return { message: plainMessage(text), codes: [] };
  const error = isRecord(outer.error) ? outer.error : undefined;
  const { code, type, message } = error ?? outer;
  return {
    message: shorten([message, outer.error, outer.detail].find(isText) ?? text.trim(), MAX_MESSAGE_CHARS),
    codes: [code, type].filter(isText),
    ...(error && { error }),
  };
}

/** Returns the beginning of an unexpected text; of a web page, its title or visible text. */
export function plainMessage(text: string): string {
  if (!looksLikeHtml(text)) return shorten(text.trim(), MAX_MESSAGE_CHARS);
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  return shorten(title || visibleText(text), MAX_HTML_CHARS);
}

/** Cuts a text on a character boundary, and marks the cut. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function looksLikeHtml(text: string): boolean {
  return /^\s*(<!doctype html|<html|<head|<body)/i.test(text);
}

function visibleText(html: string): string {
  return html
    .replace(/<(script|style)[\s\S]*?(<\/\1>|$)/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
