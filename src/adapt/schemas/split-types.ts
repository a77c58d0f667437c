import { withField, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** Returns a node with at most one type. Several types become branches, each with the keywords of its type. */
export function splitTypes(node: Fields): { readonly node: Fields; readonly nullable: boolean } {
  const { type } = node;
  if (type === 'null') return { node: withoutFields(node, ['type']), nullable: true };
  if (!Array.isArray(type)) return { node, nullable: false };
  const types = [...new Set(type.filter((name) => typeof name === 'string' && name !== 'null'))] as string[];
  const nullable = type.includes('null');
  const [only] = types;
  if (only === undefined) return { node: withoutFields(node, ['type']), nullable };
  if (types.length === 1) return { node: withField(node, 'type', only), nullable };
  // Existing branches say more than the types.
  if (Array.isArray(node.anyOf)) return { node: withoutFields(node, ['type']), nullable };
  const anyOf = types.map((name) => ({ type: name, ...picked(node, KEYWORDS[name] ?? []) }));
  return { node: { ...withoutFields(node, ['type', ...Object.values(KEYWORDS).flat()]), anyOf }, nullable };
}

const NUMBER = ['minimum', 'maximum'];

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'minProperties', 'maxProperties'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: NUMBER,
  integer: NUMBER,
};

function picked(node: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(node, name)).map((name) => [name, node[name]]));
}
