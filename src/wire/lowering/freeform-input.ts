import { isRecord } from '../../base/json-schema.ts';
import { parsedJson } from './parsed-json.ts';

/**
 * Returns the input that a model meant for a freeform tool. The model saw the tool as a function and may have wrapped
 * the input. A text without a known wrapping is the input itself.
 */
export function freeformInput(written: string, tool: string): string {
  return plainEnvelope(unfenced(unwrapped(written, tool)));
}

/** Returns the text inside JSON: in an object with one text, in a command line, or in a JSON string. */
function unwrapped(written: string, tool: string): string {
  const value = parsedJson(written);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return commandInput(value, tool) ?? written;
  if (!isRecord(value)) return written;
  if (typeof value.input === 'string') return value.input;
  const values = Object.values(value);
  const [text, ...others] = values.filter((one) => typeof one === 'string');
  if (text !== undefined && others.length === 0 && !values.some(isFilled)) return text;
  const [only] = values.length === 1 ? values : [];
  return (Array.isArray(only) ? commandInput(only, tool) : undefined) ?? written;
}

/** Returns the second word of a command line that calls the tool, or of any command line with a patch. */
function commandInput(words: readonly unknown[], tool: string): string | undefined {
  const [name, text] = words;
  if (words.length !== 2 || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return name === tool || isPatch(text) ? text : undefined;
}

/** Reports whether a value is a list or an object with entries. A call with such a value is more than its text. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Removes a code fence around the whole text. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(FENCE)) return text;
  const [opening = '', ...lines] = trimmed.split('\n');
  const isOneBlock = lines.pop()?.trim() === FENCE && !lines.some((line) => line.startsWith(FENCE));
  return isOneBlock && LANGUAGE.test(opening) ? lines.join('\n') : text;
}

const FENCE = '```';
const LANGUAGE = /^```[\w+.-]*[ \t\r]*$/;

/** Removes the stars that some models add at the end of the first and the last line of a patch. */
function plainEnvelope(text: string): string {
  return isPatch(text) ? text.replace(BEGIN_CLOSED, '$1').replace(END_CLOSED, '$1') : text;
}

function isPatch(text: string): boolean {
  return BEGIN.test(text);
}

const BEGIN = /^\s*\*\*\* Begin Patch(?: \*\*\*)?[ \t]*\r?\n/;
const BEGIN_CLOSED = /^(\s*\*\*\* Begin Patch) \*\*\*/;
const END_CLOSED = /(\n\*\*\* End Patch) \*\*\*(?=\s*$)/;
