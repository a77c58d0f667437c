import { isRecord } from '../../base/json-schema.ts';
import { parsedJson } from '../../wire/fields/lenient-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** What a server said when it refused a request. */
export interface Refusal {
  /** All its words, bounded. */
  readonly text: string;
  /** The places of fields that it does not allow, as steps from the body on. */
  readonly places: readonly (readonly string[])[];
  /** What it calls the parameter and the kind of mistake, where it names both. */
  readonly param: string | undefined;
  readonly code: string | undefined;
}

const MAX_CHARS = 32_000;
const MAX_DEPTH = 8;

/** Reads the body of a refusal: JSON in any of the shapes that servers use, also JSON inside of texts, or text. */
export function readRefusal(body: string): Refusal {
  const found: Found = { texts: [], places: [], params: [] };
  collect(body.slice(0, MAX_CHARS), found, 0);
  const text = found.texts.join('\n').slice(0, MAX_CHARS);
  const [first] = found.params;
  return { text, places: [...found.places, ...writtenPlaces(text)], param: first?.param, code: first?.code };
}

interface Found {
  readonly texts: string[];
  readonly places: (readonly string[])[];
  readonly params: { readonly param: string; readonly code: string }[];
}

/** Where servers repeat what they were sent. */
const ECHOES: ReadonlySet<string> = new Set(['input', 'input_value', 'failed_generation', 'body', 'request', 'loc']);

/** The beginning of JSON that is more than one word. */
const HOLDS_JSON = /^\s*[[{]/;

function collect(value: unknown, found: Found, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    const inner = HOLDS_JSON.test(value) ? parsedJson(value) : undefined;
    if (inner === undefined) found.texts.push(value);
    else collect(inner, found, depth + 1);
  } else if (Array.isArray(value)) {
    for (const entry of value as unknown[]) collect(entry, found, depth + 1);
  } else if (isRecord(value)) {
    note(value, found);
    for (const [name, field] of Object.entries(value)) if (!ECHOES.has(name)) collect(field, found, depth + 1);
  }
}

function note({ loc, type, msg, param, code }: Fields, found: Found): void {
  if (Array.isArray(loc)) {
    const steps = loc.map(String);
    if (typeof msg === 'string') found.texts.push(`${steps.join('.')}: ${msg}`);
    if (type === 'extra_forbidden') found.places.push(steps);
  }
  if (typeof param === 'string' && typeof code === 'string') found.params.push({ param, code });
}

/** Places in the spelling of another language: `'type': 'extra_forbidden', 'loc': ('body', 'store')`. */
function writtenPlaces(text: string): readonly (readonly string[])[] {
  return Array.from(text.matchAll(/'extra_forbidden', 'loc': [([]([^)\]]{0,300})[)\]]/g), ([, steps = '']) =>
    steps.split(',').flatMap((step) => step.replaceAll(/['"\s]/g, '') || []),
  );
}
