import { isRecord, type JsonSchema } from '../../../../base/json-schema.ts';
import { repairValue } from './repair-value.ts';

/**
 * Returns the JSON text of a parameter that was written between tags: a value of the declared type if it can be read as
 * one, otherwise the text itself. `isString` is the tag's own statement about its content; the schema takes precedence.
 */
export function parameterText(raw: string, schema: JsonSchema | undefined, isString?: string): string {
  const types = declaredTypes(schema);
  if (isString === 'true' && (types === undefined || types.includes('string'))) return JSON.stringify(raw);
  if (isString !== 'false' && types?.every((type) => type === 'string')) return JSON.stringify(raw);
  const literal = literalOf(raw, schema);
  const isValue = literal !== undefined && (fits(literal, types) || (isString === 'false' && isPlain(literal, types)));
  return isValue ? literal.text : JSON.stringify(raw);
}

/**
 * Removes the line break after the opening tag and the one before the closing tag. `pair`: only if both are there, for
 * formats in which a single line break belongs to the value.
 */
export function withoutPadding(raw: string, kind: 'each' | 'pair'): string {
  const start = raw.startsWith('\n') ? 1 : raw.startsWith('\r\n') ? 2 : 0;
  const end = raw.endsWith('\r\n') ? 2 : raw.endsWith('\n') ? 1 : 0;
  if (kind === 'pair' && (start === 0 || end === 0 || raw.length < start + end)) return raw;
  return raw.slice(start, Math.max(start, raw.length - end));
}

/** Returns the schema of one property of an object. */
export function propertySchema(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  const properties: unknown = schema?.properties;
  const own = isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : schema?.additionalProperties;
  return isRecord(own) ? own : undefined;
}

/** Returns an object from the JSON texts of its values. */
export function objectText(members: Iterable<readonly [key: string, value: string]>): string {
  return `{${Array.from(members, ([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** Returns the types that a schema allows; undefined if it does not say. */
export function declaredTypes(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type, enum: values, anyOf, oneOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string');
  if (Array.isArray(values)) return values.map(typeName);
  if ('const' in schema) return [typeName(schema.const)];
  const branches = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(branches)) return undefined;
  const known = branches.map(declaredTypes);
  return known.every((types) => types !== undefined) ? known.flat() : undefined;
}

interface Literal {
  readonly text: string;
  readonly value: unknown;
}

const WORDS: ReadonlyMap<string, Literal> = new Map([
  ['True', { text: 'true', value: true }],
  ['False', { text: 'false', value: false }],
  ['None', { text: 'null', value: null }],
]);

function literalOf(raw: string, schema: JsonSchema | undefined): Literal | undefined {
  const text = raw.trim();
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const exact = parsed(text);
  if (exact !== undefined) return exact;
  // The closing tag shows that a number at the end is whole.
  const repaired = repairValue(`${text} `, schema);
  return repaired === undefined ? undefined : parsed(repaired);
}

function parsed(text: string): Literal | undefined {
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function fits({ text, value }: Literal, types: readonly string[] | undefined): boolean {
  // A number in an unusual spelling is a text: a hash, a version.
  if (types === undefined) return typeof value !== 'number' || String(value) === text;
  if (value === null) return types.includes('null') || !types.includes('string');
  if (typeof value === 'string') return false;
  return types.includes(typeName(value)) || (types.includes('integer') && Number.isInteger(value));
}

/**
 * Reports whether a tag marked as not a string holds a value: any value where no type is declared, otherwise a quoted
 * string where one is allowed.
 */
function isPlain({ value }: Literal, types: readonly string[] | undefined): boolean {
  return types === undefined || (typeof value === 'string' && types.includes('string'));
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
