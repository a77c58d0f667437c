import { isRecord } from '../../base/json-schema.ts';
import { resolveReference } from '../../base/resolve-reference.ts';
import { withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** A node without references, without `allOf` and without a choice of only one branch. */
export interface FlatNode {
  readonly node: Fields;
  /** Whether one of the branches was null. */
  readonly nullable: boolean;
  /** References that lead to the node, and those that were followed. */
  readonly references: ReadonlySet<string>;
}

export type Flattener = (node: Fields, references: ReadonlySet<string>) => FlatNode;

/** Most references and parts followed in one schema: a short schema may stand for millions of nodes. */
const MAX_FOLLOWED = 2000;
const MAX_DEPTH = 32;

/** Returns a function that flattens nodes of one schema. */
export function createFlattener(root: Fields): Flattener {
  let followed = 0;

  const flatten = (value: Fields, references: ReadonlySet<string>, depth: number): FlatNode => {
    const target = targetOf(value, references);
    if (target !== undefined && depth < MAX_DEPTH && followed < MAX_FOLLOWED) {
      followed++;
      const node = { ...target, ...withoutFields(value, ['$ref']) };
      return flatten(node, new Set([...references, String(value.$ref)]), depth + 1);
    }
    const { node, parts, nullable } = split(value.$ref === undefined ? value : cutReference(value, root));
    return parts.reduce<FlatNode>(
      (sum, part) => {
        if (depth >= MAX_DEPTH || followed >= MAX_FOLLOWED) return sum;
        followed++;
        const flat = flatten(part, sum.references, depth + 1);
        return {
          node: addNode(sum.node, flat.node),
          nullable: sum.nullable || flat.nullable,
          references: flat.references,
        };
      },
      { node, nullable, references },
    );
  };

  const targetOf = (value: Fields, references: ReadonlySet<string>): Fields | undefined =>
    typeof value.$ref === 'string' && !references.has(value.$ref) ? resolveReference(root, value.$ref) : undefined;

  return (node, references) => flatten(node, references, 0);
}

/** Returns a node without its reference, which is circular or unknown. Of the target, only the type is kept. */
function cutReference(value: Fields, root: Fields): Fields {
  const type = resolveReference(root, value.$ref)?.type;
  return { ...(type !== undefined && { type }), ...withoutFields(value, ['$ref']) };
}

interface SplitNode {
  readonly node: Fields;
  /** Further nodes that the node includes. */
  readonly parts: readonly Fields[];
  readonly nullable: boolean;
}

function split(value: Fields): SplitNode {
  const sum = listOf(value.allOf).filter(isRecord);
  const choice = [...listOf(value.anyOf), ...listOf(value.oneOf)];
  const branches = choice.filter((branch) => !isNull(branch));
  const nullable = branches.length < choice.length;
  const [only] = branches;
  const rest = withoutFields(value, value.oneOf === undefined && !nullable ? ['allOf'] : ['allOf', 'anyOf', 'oneOf']);
  if (branches.length > 1) {
    const node = rest.anyOf === undefined ? { ...rest, anyOf: branches } : rest;
    return { node, parts: sum, nullable };
  }
  return { node: withoutFields(rest, ['anyOf', 'oneOf']), parts: isRecord(only) ? [...sum, only] : sum, nullable };
}

/** Returns the requirements of both nodes. Where they differ, `node` wins. */
function addNode(node: Fields, part: Fields): Fields {
  const properties = [part.properties, node.properties].filter(isRecord);
  const required = [...new Set([...listOf(node.required), ...listOf(part.required)])];
  return {
    ...part,
    ...node,
    ...(properties.length > 1 && { properties: Object.fromEntries(properties.flatMap(Object.entries)) }),
    ...(required.length > 0 && { required }),
  };
}

function isNull(branch: unknown): boolean {
  return isRecord(branch) && branch.type === 'null';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
