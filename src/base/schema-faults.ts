import { isRecord, type JsonSchema } from './json-schema.ts';

export interface FaultOptions {
  /** Whether a field that the schema forbids by `additionalProperties: false` is a fault. */
  readonly unknown: 'ignored' | 'refused';
}

/** A model that reads the first few faults repairs the rest with them. */
const MOST_FAULTS = 4;

/**
 * Returns the faults of a value in words for the model: which, where, and what was expected. Unknown keywords are
 * ignored. A null in an optional field counts as absent, because many models write every parameter.
 */
export function schemaFaults(schema: JsonSchema, value: unknown, { unknown }: FaultOptions): readonly string[] {
  const check: Check = { root: schema, unknown, faults: [], open: [] };
  inspect(check, schema, value, '');
  return check.faults;
}

/**
 * Returns a value without the optional fields that are null, unless the schema allows null. `open` are the schemas that
 * led to this one for the same value.
 */
export function withoutNulls(
  schema: JsonSchema,
  value: unknown,
  root = schema,
  open: readonly JsonSchema[] = [],
): unknown {
  const here = resolved(schema, root);
  const { properties, items } = here;
  if (Array.isArray(value) && items) return value.map((item) => withoutNulls(items, item, root));
  const branch = open.includes(here) ? undefined : fittingBranch(here, value, root);
  if (branch) return withoutNulls(branch, value, root, [...open, here]);
  if (!isRecord(value) || !properties) return value;
  const kept = Object.entries(value).filter(([name, field]) => {
    const property = properties[name];
    return field !== null || !property || takesNull(property, root);
  });
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(properties[name] ?? {}, field, root)]));
}

/** Returns the first of the schema's alternatives that a value fits. */
function fittingBranch({ anyOf, oneOf }: JsonSchema, value: unknown, root: JsonSchema): JsonSchema | undefined {
  const check: Check = { root, unknown: 'refused', faults: [], open: [] };
  return [...schemasIn(anyOf), ...schemasIn(oneOf)].find((one) => trial(check, one, value, '').length === 0);
}

interface Check {
  readonly root: JsonSchema;
  readonly unknown: FaultOptions['unknown'];
  readonly faults: string[];
  /** Schemas under inspection for the same value. A schema that refers back to one of them adds nothing. */
  readonly open: readonly JsonSchema[];
}

function inspect(check: Check, given: JsonSchema, value: unknown, path: string): void {
  const schema = resolved(given, check.root);
  if (check.faults.length >= MOST_FAULTS || check.open.includes(schema)) return;
  const fault = valueFault(schema, value);
  if (fault !== undefined) check.faults.push(`${fault.what}${at(path)}: ${fault.why}`);
  else {
    inspectBranches({ ...check, open: [...check.open, schema] }, schema, value, path);
    const inner = { ...check, open: [] };
    if (Array.isArray(value)) inspectItems(inner, schema, value, path);
    else if (isRecord(value)) inspectFields(inner, schema, value, path);
  }
}

interface Fault {
  readonly what: 'invalid type' | 'invalid value';
  readonly why: string;
}

/** Returns the fault of the value itself, without looking at its parts. */
function valueFault(schema: JsonSchema, value: unknown): Fault | undefined {
  const options = 'const' in schema ? [schema.const] : schema.enum;
  if (options && !options.some((option) => isSame(option, value))) {
    return { what: 'invalid value', why: `expected ${listed(options)}, got ${shown(value)}` };
  }
  const types = typesOf(schema);
  if (types && !types.some((type) => hasType(type, value))) {
    return { what: 'invalid type', why: `expected ${types.join(' or ')}, got ${kindOf(value)}` };
  }
  const why = boundFault(schema, value);
  return why === undefined ? undefined : { what: 'invalid value', why };
}

/** Returns the fault of a number, a length or a pattern that is out of bounds. */
function boundFault(schema: JsonSchema, value: unknown): string | undefined {
  const beyond = (size: number, least: unknown, most: unknown, unit: string) => {
    if (typeof least === 'number' && size < least) return `expected at least ${least}${unit}, got ${size}`;
    if (typeof most === 'number' && size > most) return `expected at most ${most}${unit}, got ${size}`;
    return undefined;
  };
  if (typeof value === 'number') {
    const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
    if (typeof above === 'number' && value <= above) return `expected more than ${above}, got ${value}`;
    if (typeof below === 'number' && value >= below) return `expected less than ${below}, got ${value}`;
    return beyond(value, schema.minimum, schema.maximum, '');
  }
  if (typeof value === 'string') {
    const { pattern } = schema;
    if (typeof pattern === 'string' && !matches(pattern, value)) return `expected a text that matches /${pattern}/`;
    return beyond(value.length, schema.minLength, schema.maxLength, ' characters');
  }
  return Array.isArray(value) ? beyond(value.length, schema.minItems, schema.maxItems, ' items') : undefined;
}

function inspectBranches(check: Check, schema: JsonSchema, value: unknown, path: string): void {
  for (const part of schemasIn(schema.allOf)) inspect(check, part, value, path);
  const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)].map((one) => resolved(one, check.root));
  if (branches.length === 0) return;
  const tried = branches.map((branch) => ({ branch, faults: trial(check, branch, value, path) }));
  if (tried.some(({ faults }) => faults.length === 0)) return;
  // The type of the value shows which branch was meant, if only one has that type.
  const meant = tried.filter(({ branch }) => typesOf(branch)?.some((type) => hasType(type, value)) ?? true);
  const [only, ...others] = meant;
  if (only && others.length === 0) check.faults.push(...only.faults);
  else {
    const names = branches.map((branch) => typesOf(branch)?.join(' or ') ?? listed(optionsOf(branch)));
    const why = meant.length > 0 ? (meant[0]?.faults[0] ?? '') : `expected ${[...new Set(names)].join(' or ')}`;
    check.faults.push(`no form fits${at(path)}: ${why}`);
  }
}

function trial(check: Check, branch: JsonSchema, value: unknown, path: string): readonly string[] {
  const inner: Check = { ...check, faults: [] };
  inspect(inner, branch, value, path);
  return inner.faults;
}

function inspectItems(check: Check, { items }: JsonSchema, value: readonly unknown[], path: string): void {
  if (!isRecord(items)) return;
  for (const [index, item] of value.entries()) inspect(check, items, item, `${path}[${index}]`);
}

function inspectFields(check: Check, schema: JsonSchema, value: Record<string, unknown>, path: string): void {
  const { properties = {}, required = [], additionalProperties: others } = schema;
  for (const name of required) {
    const isMissing =
      value[name] === undefined || (value[name] === null && !takesNull(properties[name] ?? {}, check.root));
    if (isMissing && check.faults.length < MOST_FAULTS) check.faults.push(`missing field \`${join(path, name)}\``);
  }
  for (const [name, field] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) {
      if (field !== null || takesNull(property, check.root)) inspect(check, property, field, join(path, name));
    } else if (isRecord(others)) inspect(check, others, field, join(path, name));
    else if (others === false && check.unknown === 'refused' && check.faults.length < MOST_FAULTS)
      check.faults.push(`unknown field \`${join(path, name)}\`: expected ${listed(Object.keys(properties))}`);
  }
}

/** References may form a circle. */
const MOST_HOPS = 20;

/** Returns the schema, or the one that it refers to in the same document. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let found: unknown = schema;
  for (let hops = 0; hops < MOST_HOPS && isRecord(found) && typeof found.$ref === 'string'; hops++) {
    found = lookUp(found.$ref, root);
  }
  return isRecord(found) ? found : {};
}

function lookUp(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return {};
  const names = reference.slice(1).split('/').slice(1);
  return names.reduce<unknown>((place, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRecord(place) && Object.hasOwn(place, key) ? place[key] : undefined;
  }, root);
}

function takesNull(given: JsonSchema, root: JsonSchema, seen: readonly JsonSchema[] = []): boolean {
  const schema = resolved(given, root);
  const options = optionsOf(schema);
  if (options.length > 0) return options.includes(null);
  const types = typesOf(schema);
  if (types) return types.includes('null');
  const branches = [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf), ...schemasIn(schema.allOf)];
  if (seen.includes(schema)) return false;
  return branches.length === 0 || branches.some((branch) => takesNull(branch, root, [...seen, schema]));
}

function optionsOf(schema: JsonSchema): readonly unknown[] {
  return 'const' in schema ? [schema.const] : (schema.enum ?? []);
}

function typesOf({ type }: JsonSchema): readonly string[] | undefined {
  return typeof type === 'string' ? [type] : type;
}

function schemasIn(list: unknown): readonly JsonSchema[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function hasType(type: string, value: unknown): boolean {
  return type === 'integer' ? Number.isInteger(value) : kindOf(value) === type;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && a !== null && JSON.stringify(a) === JSON.stringify(b));
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // An invalid pattern is not the fault of the value.
    return true;
  }
}

const MOST_LISTED = 20;
const MOST_SHOWN = 60;

function listed(options: readonly unknown[]): string {
  const names = options.slice(0, MOST_LISTED).map((option) => `\`${String(option)}\``);
  if (options.length > MOST_LISTED) names.push('…');
  if (names.length === 0) return 'none';
  return names.length === 1 ? (names[0] ?? '') : `one of ${names.join(', ')}`;
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  const text = String(value);
  return `\`${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}\``;
}

const at = (path: string) => (path === '' ? '' : ` for \`${path}\``);
const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);
