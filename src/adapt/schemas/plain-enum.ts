import { sameOr, withField, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** Returns a node whose enum is a list of texts. Other values are listed in its description. */
export function plainEnum(node: Fields): Fields {
  const values = Object.hasOwn(node, 'const') && !Array.isArray(node.enum) ? [node.const] : node.enum;
  if (values === undefined) return node;
  if (!Array.isArray(values)) return withoutFields(node, ['enum']);
  const said = values.filter((value) => value !== null);
  if (said.length > 0 && said.every((value) => typeof value === 'string')) {
    const listed = withField(node, 'enum', sameOr(values, said));
    return Object.hasOwn(listed, 'type') || Object.hasOwn(listed, 'anyOf') ? listed : { type: 'string', ...listed };
  }
  const rest = withoutFields(node, ['enum']);
  return said.length === 0 ? rest : { ...rest, description: described(rest.description, said) };
}

const MAX_CHARS = 500;

function described(description: unknown, values: readonly unknown[]): string {
  const list = values.map((value) => shortJson(value)).join(', ');
  const note = `One of: ${list.length > MAX_CHARS ? `${list.slice(0, MAX_CHARS)}…` : list}`;
  return typeof description === 'string' && description !== '' ? `${description} ${note}` : note;
}

/** Returns a value as JSON; an ellipsis for a value that is nested too deeply. */
function shortJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '…';
  }
}
