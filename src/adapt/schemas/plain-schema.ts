import { isRecord } from '../../base/json-schema.ts';
import { mapList, sameFieldsOr, sameOr } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { createFlattener, type FlatNode, type Flattener } from './flatten-schema.ts';
import { MAX_SCHEMA_DEPTH, mapValues } from './map-schema.ts';
import { plainEnum } from './plain-enum.ts';
import { splitTypes } from './split-types.ts';

/**
 * Reduces a schema to the basic keywords (G10). References are followed, keywords with an equivalent are translated,
 * and the rest is left out. Returns the same schema if it is plain already.
 */
export function plainSchema(schema: unknown): unknown {
  return isRecord(schema)
    ? plainNode(schema, { flatten: createFlattener(schema), references: new Set(), depth: 0 })
    : schema;
}

interface NodeContext {
  readonly flatten: Flattener;
  /** References that lead to the node. */
  readonly references: ReadonlySet<string>;
  readonly depth: number;
}

/** Schema that accepts everything, for values that cannot be expressed in basic keywords. */
const ANYTHING: Fields = {};

function plainNode(value: unknown, context: NodeContext): Fields {
  if (!isRecord(value) || context.depth > MAX_SCHEMA_DEPTH) return ANYTHING;
  const flat = context.flatten(value, context.references);
  const { node, nullable } = splitTypes(withNumberBounds(withItems(flat.node)));
  const known = Object.entries(plainEnum(node)).filter(([name]) => KEYWORDS.has(name));
  const plain = known.flatMap(([name, keyword]) => plainKeyword(name, keyword, node, innerContext(context, flat)));
  const isNullable = nullable || flat.nullable || node.nullable === true || acceptsNull(node);
  const fields = Object.fromEntries(plain);
  return sameFieldsOr(value, isNullable ? { ...fields, nullable: true } : fields);
}

function innerContext({ flatten, depth }: NodeContext, { references }: FlatNode): NodeContext {
  return { flatten, references, depth: depth + 1 };
}

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'default', 'enum', 'format', 'nullable', 'anyOf'],
  ...['properties', 'required', 'minProperties', 'maxProperties', 'items', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'],
]);

function plainKeyword(
  name: string,
  value: unknown,
  node: Fields,
  context: NodeContext,
): readonly (readonly [string, unknown])[] {
  const inner = (schema: unknown) => plainNode(schema, context);
  switch (name) {
    case 'properties':
      return isRecord(value) ? [[name, mapValues(value, inner)]] : [];
    case 'items':
      return [[name, inner(value)]];
    case 'anyOf':
      return [[name, mapList(value, inner)]];
    case 'required':
      return requiredOf(value, node.properties);
    case 'format':
      return FORMATS.has(value) ? [[name, value]] : [];
    default:
      return [[name, value]];
  }
}

/** Formats that every server knows. */
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'enum', 'int32', 'int64', 'float', 'double']);

/** Returns the required names of existing properties. */
function requiredOf(value: unknown, properties: unknown): readonly (readonly [string, unknown])[] {
  if (!Array.isArray(value) || !isRecord(properties)) return [];
  const known = sameOr(
    value,
    value.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)),
  );
  return known.length === 0 && value.length > 0 ? [] : [['required', known]];
}

/** Replaces schemas by position with one schema for all entries of a list. */
function withItems(node: Fields): Fields {
  const places = [node.prefixItems, node.items].find((value) => Array.isArray(value));
  if (!Array.isArray(places)) return node;
  const [first, ...others] = places as unknown[];
  return { ...node, items: others.length === 0 ? (first ?? ANYTHING) : { anyOf: places } };
}

function withNumberBounds(node: Fields): Fields {
  const lower = inclusive(node, 'exclusiveMinimum', 1);
  const upper = inclusive(node, 'exclusiveMaximum', -1);
  return {
    ...node,
    ...(lower !== undefined && { minimum: Math.max(lower, numberOr(node.minimum, lower)) }),
    ...(upper !== undefined && { maximum: Math.min(upper, numberOr(node.maximum, upper)) }),
  };
}

/**
 * Converts an exclusive bound to an inclusive one. For integers, the bound moves by one; otherwise it stays, and the
 * bound itself becomes valid.
 */
function inclusive(node: Fields, name: string, step: number): number | undefined {
  const bound = node[name];
  if (typeof bound !== 'number') return undefined;
  return node.type === 'integer' && Number.isInteger(bound) ? bound + step : bound;
}

function numberOr(value: unknown, other: number): number {
  return typeof value === 'number' ? value : other;
}

function acceptsNull(node: Fields): boolean {
  return Array.isArray(node.enum) ? node.enum.includes(null) : node.const === null;
}
