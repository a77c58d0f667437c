import { isRecord, type JsonSchema } from '../base/json-schema.ts';
import { resolveReference } from '../base/resolve-reference.ts';

type Node = Record<string, unknown>;

/** Deepest nesting that is kept. */
const MAX_DEPTH = 24;
/** Most nodes of one schema: references may make a short schema a huge one. */
const MAX_NODES = 4000;

/**
 * Returns the schema of a tool in a form that servers of models accept. References inside the schema are replaced by
 * their target, recursive ones by the type of their target, and others are never followed. Keywords that no server reads
 * are left out: the MCP server checks the arguments itself. A schema of more than `maxBytes` loses its descriptions, then
 * its inner parts.
 */
export function cleanSchema(schema: unknown, maxBytes: number): JsonSchema {
  const root = isRecord(schema) ? schema : {};
  for (const reduced of reductions(root)) if (byteLength(reduced) <= maxBytes) return reduced;
  return { type: 'object', properties: {} };
}

/** Yields the clean schema, then smaller and smaller forms of it. */
function* reductions(root: Node): Generator<JsonSchema> {
  yield clean(root, { depth: MAX_DEPTH, describes: true });
  yield clean(root, { depth: MAX_DEPTH, describes: false });
  for (let depth = 6; depth > 0; depth--) yield clean(root, { depth, describes: false });
}

interface Limits {
  readonly depth: number;
  /** Whether descriptions are kept. */
  readonly describes: boolean;
}

function clean(root: Node, limits: Limits): JsonSchema {
  const state: CleanState = { root, limits, nodes: 0 };
  const node = cleanNode(root, state, 0, []);
  const merged = mergeBranches(node);
  return { ...merged, type: 'object', properties: isRecord(merged.properties) ? merged.properties : {} } as JsonSchema;
}

interface CleanState {
  readonly root: Node;
  readonly limits: Limits;
  nodes: number;
}

function cleanNode(value: unknown, state: CleanState, depth: number, references: readonly string[]): Node {
  if (!isRecord(value)) return {};
  const { node, followed } = resolve(value, state.root, references);
  if (++state.nodes > MAX_NODES || depth > state.limits.depth) return typeOnly(node);
  const inner = (below: unknown) => cleanNode(below, state, depth + 1, followed);
  const kept: Node = {};
  for (const [keyword, content] of Object.entries(node)) {
    const keep = KEYWORDS[keyword];
    if (keep === undefined) continue;
    if (keyword === 'description' && !state.limits.describes) continue;
    const result = keep(content, inner);
    if (result !== undefined) kept[keyword] = result;
  }
  if (kept.enum === undefined && 'const' in node) kept.enum = [node.const];
  return withType(kept);
}

type Keep = (content: unknown, inner: (below: unknown) => Node) => unknown;

const same: Keep = (content) => content;
const text: Keep = (content) => (typeof content === 'string' ? content : undefined);
const number: Keep = (content) => (typeof content === 'number' ? content : undefined);
const branches: Keep = (content, inner) =>
  Array.isArray(content) && content.length > 0 ? content.map(inner) : undefined;
const names: Keep = (content) =>
  Array.isArray(content) ? content.filter((name) => typeof name === 'string') : undefined;

/** Keywords that are kept, each with the function that returns its content. */
const KEYWORDS: Readonly<Record<string, Keep>> = {
  type: (content) => (typeof content === 'string' || Array.isArray(content) ? content : undefined),
  title: text,
  description: text,
  default: same,
  enum: (content) => (Array.isArray(content) && content.length > 0 ? content : undefined),
  format: text,
  pattern: text,
  minLength: number,
  maxLength: number,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: number,
  minItems: number,
  maxItems: number,
  uniqueItems: same,
  required: names,
  properties: (content, inner) =>
    isRecord(content)
      ? Object.fromEntries(Object.entries(content).map(([name, below]) => [name, inner(below)]))
      : undefined,
  items: (content, inner) => (Array.isArray(content) ? { anyOf: content.map(inner) } : inner(content)),
  additionalProperties: (content, inner) => (typeof content === 'boolean' ? content : inner(content)),
  anyOf: branches,
  oneOf: branches,
  allOf: branches,
};

/** Returns a node with its type, where it can be inferred, and with the parts that its type needs. */
function withType(node: Node): Node {
  const type = node.type ?? inferredType(node);
  const typed = type === undefined ? node : { ...node, type };
  if (isOf(type, 'object') && !isRecord(typed.properties)) return { ...typed, properties: {} };
  if (isOf(type, 'array') && !isRecord(typed.items)) return { ...typed, items: {} };
  return typed;
}

function inferredType(node: Node): string | undefined {
  if (node.properties !== undefined || node.additionalProperties !== undefined || node.required !== undefined)
    return 'object';
  if (node.items !== undefined || node.minItems !== undefined || node.maxItems !== undefined) return 'array';
  if (Array.isArray(node.enum)) {
    const types = new Set(node.enum.map((value) => typeof value));
    const [only] = types;
    return types.size === 1 && (only === 'string' || only === 'number' || only === 'boolean') ? only : undefined;
  }
  if (node.pattern !== undefined || node.minLength !== undefined || node.maxLength !== undefined) return 'string';
  if (node.minimum !== undefined || node.maximum !== undefined) return 'number';
  return undefined;
}

const isOf = (type: unknown, name: string) => type === name || (Array.isArray(type) && type.includes(name));

function typeOnly({ type }: Node): Node {
  return withType(typeof type === 'string' || Array.isArray(type) ? { type } : {});
}

/** Follows the references of a node that lead into its schema. One that leads nowhere or in a circle is dropped. */
function resolve(
  value: Node,
  root: Node,
  references: readonly string[],
): { readonly node: Node; readonly followed: readonly string[] } {
  let node = value;
  const followed = [...references];
  while (typeof node.$ref === 'string') {
    const { $ref, ...rest } = node;
    const target = resolveReference(root, $ref);
    const isCircle = followed.includes($ref);
    followed.push($ref);
    node = target === undefined ? rest : isCircle ? { ...typeOnly(target), ...rest } : { ...target, ...rest };
    if (isCircle) break;
  }
  return { node, followed };
}

/**
 * Returns the schema of arguments without branches at its top, which servers refuse there. All properties of the
 * branches are kept. A property is required if every branch of a choice, or any part of a sum, requires it.
 */
function mergeBranches(node: Node): Node {
  const { anyOf, oneOf, allOf, enum: _, ...rest } = node;
  const choice = [...listOf(anyOf), ...listOf(oneOf)];
  const parts = listOf(allOf);
  if (choice.length + parts.length === 0) return rest;
  const all = [...choice, ...parts].map(mergeBranches);
  const properties = Object.assign({}, ...all.map((branch) => branch.properties), rest.properties);
  const chosen = choice.map((branch) => new Set(listOf(mergeBranches(branch).required)));
  const inEvery = [...(chosen[0] ?? [])].filter((name) => chosen.every((branch) => branch.has(name)));
  const inParts = parts.flatMap((part) => listOf(mergeBranches(part).required));
  const required = [...new Set([...listOf(rest.required), ...inEvery, ...inParts])];
  const { additionalProperties: __, ...open } = rest;
  return { ...open, properties, ...(required.length > 0 ? { required } : {}) };
}

function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value : [];
}

function byteLength(schema: JsonSchema): number {
  return new TextEncoder().encode(JSON.stringify(schema)).length;
}
