import { isRecord, type JsonSchema } from '../../../../base/json-schema.ts';
import { declaredTypes, objectText, parameterText, propertySchema } from './parameter-text.ts';
import type { Element } from './read-elements.ts';

/** Returns elements as the JSON text of an object, or of a list if all of them are items. */
export function elementsText(elements: readonly Element[], schema: JsonSchema | undefined): string {
  if (isList(elements, schema)) return listText(elements, itemSchema(schema));
  const byName = new Map<string, Element[]>();
  for (const element of elements) {
    const same = byName.get(element.name);
    if (same === undefined) byName.set(element.name, [element]);
    else same.push(element);
  }
  return objectText(Array.from(byName, ([name, same]) => [name, memberText(same, propertySchema(schema, name))]));
}

function isList(elements: readonly Element[], schema: JsonSchema | undefined): boolean {
  if (propertySchema(schema, 'item') !== undefined) return false;
  return elements.length > 0 && elements.every(({ name }) => name === 'item');
}

/** Returns the JSON text of a member. Several elements of one name are a list too. */
function memberText(same: readonly Element[], schema: JsonSchema | undefined): string {
  const [first] = same;
  return first !== undefined && same.length === 1 ? elementText(first, schema) : listText(same, itemSchema(schema));
}

function listText(elements: readonly Element[], schema: JsonSchema | undefined): string {
  return `[${elements.map((element) => elementText(element, schema)).join(',')}]`;
}

function elementText({ content }: Element, schema: JsonSchema | undefined): string {
  if (typeof content !== 'string') return elementsText(content, schema);
  const types = declaredTypes(schema);
  if (content.trim() === '' && types?.includes('string') === false) {
    if (types.includes('array')) return '[]';
    if (types.includes('object')) return '{}';
  }
  return parameterText(content, schema);
}

function itemSchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  const items: unknown = schema?.items;
  return isRecord(items) ? items : undefined;
}
