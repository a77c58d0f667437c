import { isRecord } from '../../base/json-schema.ts';
import { resolveReference } from '../../base/resolve-reference.ts';
import { editField, mapList, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { mapSchema } from './map-schema.ts';

/** Moves a type next to branches into the branches that have no type (G9). */
export function typedBranches(schema: unknown): unknown {
  return mapSchema(schema, pushType);
}

/**
 * Moves the branches of a tool's parameters into optional properties, for the same servers. Parameters must have the
 * type object, and that type may not stand next to branches.
 */
export function foldBranches(schema: unknown): unknown {
  if (!isRecord(schema) || schema.type !== 'object') return schema;
  const branches = branchesOf(schema).map((branch) => resolveReference(schema, branch.$ref) ?? branch);
  if (branches.length === 0) return schema;
  const properties = [...branches.toReversed(), schema].map((node) => node.properties).filter(isRecord);
  const required = [...new Set([...namesIn(schema.required), ...requiredByAll(branches)])];
  return {
    ...withoutFields(schema, BRANCHES),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties.flatMap(Object.entries)) }),
    ...(required.length > 0 && { required }),
  };
}

const BRANCHES = ['anyOf', 'oneOf'];

function branchesOf(schema: Fields): readonly Fields[] {
  return BRANCHES.flatMap((name) => (Array.isArray(schema[name]) ? schema[name].filter(isRecord) : []));
}

function requiredByAll([first, ...others]: readonly Fields[]): readonly string[] {
  return namesIn(first?.required).filter((name) => others.every((branch) => namesIn(branch.required).includes(name)));
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function pushType(node: Fields): Fields {
  if (node.type === undefined || branchesOf(node).length === 0) return node;
  let pushed = withoutFields(node, ['type']);
  for (const name of BRANCHES) {
    pushed = editField(pushed, name, (list) => mapList(list, (branch) => typed(branch, node.type)));
  }
  return pushed;
}

/** Adds a type to a branch. A reference stays alone: its target has a type of its own. */
function typed(branch: unknown, type: unknown): unknown {
  if (!isRecord(branch) || Object.hasOwn(branch, 'type') || Object.hasOwn(branch, '$ref')) return branch;
  return { type, ...branch };
}
