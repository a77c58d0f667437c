import { isRecord } from '../../base/json-schema.ts';
import type { OutputSchema } from '../../base/model.ts';
import { boolean, type FieldReader, type Fields, object, optional, string, wrong } from './request-fields.ts';

/**
 * Reads the format that a client wants for the answer; undefined for plain text. The fields of a schema stand next to
 * the type on one wire and below it on the other. Both forms are read on both wires.
 */
export const readOutputFormat: FieldReader<OutputSchema | undefined> = (value, field) => {
  const format = object(value, field);
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return ANY_OBJECT;
  if (format.type !== 'json_schema') throw wrong(field, 'of type "text", "json_object" or "json_schema"');
  const nested = isRecord(format.json_schema);
  return readSchema(nested ? format.json_schema : format, nested ? `${field}.json_schema` : field);
};

/** Schema for clients that ask for JSON without a schema. */
export const ANY_OBJECT: OutputSchema = {
  name: 'json_object',
  strict: false,
  schema: { type: 'object' },
  anyObject: true,
};

function readSchema(format: unknown, field: string): OutputSchema {
  const { name, strict, schema, description }: Fields = object(format, field);
  const told = optional(description, `${field}.description`, string);
  return {
    name: string(name, `${field}.name`),
    strict: optional(strict, `${field}.strict`, boolean) ?? false,
    schema,
    ...(told !== undefined && { description: told }),
  };
}
