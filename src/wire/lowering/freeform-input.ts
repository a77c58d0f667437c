import { isRecord } from '../../base/json-schema.ts';
import { parsedJson } from '../fields/lenient-fields.ts';

/**
 * The text that a model meant for a tool which takes a plain text, from what it wrote where that tool was shown to it as
 * a function. Whatever is none of the known wrappings is the text itself.
 */
export function freeformInput(written: string, tool: string): string {
  return plainEnvelope(unfenced(unwrapped(written, tool)));
}

/** The text inside of JSON: of an object with one text in it, of a command line, or a JSON string. */
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

/** The second word of a command line that calls the tool, or any other with a patch. */
function commandInput(words: readonly unknown[], tool: string): string | undefined {
  const [name, text] = words;
  if (words.length !== 2 || typeof name !== 'string' || typeof text !== 'string') return undefined;
  return name === tool || isPatch(text) ? text : undefined;
}

/** Beside lists and objects a text is not all that there is. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** A text without the one code fence around all of it. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(FENCE)) return text;
  const [opening = '', ...lines] = trimmed.split('\n');
  const isOneBlock = lines.pop()?.trim() === FENCE && !lines.some((line) => line.startsWith(FENCE));
  return isOneBlock && LANGUAGE.test(opening) ? lines.join('\n') : text;
}

const FENCE = '```';
const LANGUAGE = /^```[\w+.-]*[ \t\r]*$/;

/** A patch whose first and last lines are those that tools know, without the stars that some models close them with. */
function plainEnvelope(text: string): string {
  return isPatch(text) ? text.replace(BEGIN_CLOSED, '$1').replace(END_CLOSED, '$1') : text;
}

function isPatch(text: string): boolean {
  return BEGIN.test(text);
}

const BEGIN = /^\s*\*\*\* Begin Patch(?: \*\*\*)?[ \t]*\r?\n/;
const BEGIN_CLOSED = /^(\s*\*\*\* Begin Patch) \*\*\*/;
const END_CLOSED = /(\n\*\*\* End Patch) \*\*\*(?=\s*$)/;
