import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { parsedJson } from '../../wire/lowering/parsed-json.ts';

/** The refusal of a request by a server. */
export interface Refusal {
  /** All texts of the refusal, bounded. */
  readonly text: string;
  /** Places of fields that are not allowed, as steps from the body. */
  readonly places: readonly (readonly string[])[];
  /** Names of the parameter and of the kind of mistake, if the refusal has both. */
  readonly param: string | undefined;
  readonly code: string | undefined;
}

const MAX_CHARS = 32_000;
const MAX_DEPTH = 8;

/** Reads the body of a refusal: a text, or JSON in any of the shapes that servers use, including JSON inside texts. */
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

/** Fields in which servers repeat the request. */
const ECHOES: ReadonlySet<string> = new Set(['input', 'input_value', 'failed_generation', 'body', 'request', 'loc']);

/** Beginning of a JSON object or list. */
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

/** Returns places that are written as Python writes them: `'type': 'extra_forbidden', 'loc': ('body', 'store')`. */
function writtenPlaces(text: string): readonly (readonly string[])[] {
  return Array.from(text.matchAll(/'extra_forbidden', 'loc': [([]([^)\]]{0,300})[)\]]/g), ([, steps = '']) =>
    steps.split(',').flatMap((step) => step.replaceAll(/['"\s]/g, '') || []),
  );
}
