import { mapSchema } from '../../adapt/schemas/map-schema.ts';
import { isRecord, type JsonSchema } from '../../base/json-schema.ts';

/**
 * Returns a schema in the strict form of servers: objects are closed, and every field is required. An optional field
 * may be null instead, which the check reads as absent. Returns undefined for a schema with `allOf`: no value fits two
 * closed objects.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  let isClosable = true;
  const closed = mapSchema(schema, (node) => {
    const { properties, required } = node;
    isClosable &&= !('allOf' in node);
    if (!isRecord(properties)) return node;
    const needed = new Set(Array.isArray(required) ? required : []);
    const fields = Object.entries(properties).map(([name, field]) =>
      needed.has(name) ? [name, field] : [name, { anyOf: [field, { type: 'null' }] }],
    );
    return {
      ...node,
      properties: Object.fromEntries(fields),
      required: Object.keys(properties),
      additionalProperties: node.additionalProperties ?? false,
    };
  });
  return isClosable ? (closed as JsonSchema) : undefined;
}

/** Reports whether a schema has an object with fields of any name. */
export function hasOpenObject(schema: JsonSchema): boolean {
  let isOpen = false;
  mapSchema(schema, (node) => {
    isOpen ||= node.type === 'object' && node.additionalProperties !== false;
    return node;
  });
  return isOpen;
}
