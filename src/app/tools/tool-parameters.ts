import { UserError } from '../../base/errors.ts';
import { isRecord, type JsonSchema } from '../../base/json-schema.ts';
import { badArguments } from '../../base/parse-arguments.ts';
import { readSchema, type SchemaOutput, type StandardSchema } from '../options/read-schema.ts';
import { hasOpenObject, strictSchema } from '../options/strict-schema.ts';

/** Arguments of a tool's `run`: the values that its schema accepts, or their transformed form. */
export type Arguments<P> = SchemaOutput<P>;

/** Parameters of a tool: the schema for the model and the check of its arguments. */
export interface ToolParameters {
  readonly schema: JsonSchema;
  /** Returns the checked value. Throws `ToolFailure` with the mistakes, for the model. */
  check(value: unknown): Promise<unknown>;
}

/** Reads the parameters of a definition. Throws `UserError` for parameters that cannot be described to a model. */
export function readParameters(
  tool: string,
  parameters: JsonSchema | StandardSchema,
  isStrict: boolean,
): ToolParameters {
  const what = `The parameters of the tool "${tool}"`;
  const { schema, check } = readSchema(what, parameters);
  if (!isRecord(schema) || schema.type !== 'object')
    throw new UserError('invalid_input', `${what} must be the schema of an object, with type "object".`);
  return {
    schema: isStrict ? strictParameters(tool, schema) : schema,
    async check(value) {
      const checked = await check(value);
      if (checked.faults) throw badArguments(checked.faults);
      return checked.value;
    },
  };
}

/** Returns parameters in the strict form of servers, which refuse every other form of a strict tool. */
function strictParameters(tool: string, schema: JsonSchema): JsonSchema {
  const closed = strictSchema({ properties: {}, ...schema });
  if (closed !== undefined && !hasOpenObject(closed)) return closed;
  throw new UserError(
    'invalid_input',
    `The tool "${tool}" cannot be strict: its parameters have \`allOf\`, or an object with fields of any name.`,
  );
}
