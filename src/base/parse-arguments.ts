import { messageOf, ToolFailure } from './errors.ts';
import type { Infer, JsonSchema } from './json-schema.ts';
import { schemaFaults, withoutNulls } from './schema-faults.ts';
import type { ToolCall } from './tool.ts';

/**
 * Returns the arguments of a function call, checked against the tool's schema. Throws `ToolFailure` with a text for the
 * model. Fields that the schema does not know are ignored: models invent fields, and the call makes sense without them.
 */
export function parseArguments<const S extends JsonSchema>(call: ToolCall, schema: S): Infer<S> {
  const value = readArguments(call);
  const faults = schemaFaults(schema, value, { unknown: 'ignored' });
  if (faults.length > 0) throw badArguments(faults);
  return withoutNulls(schema, value) as Infer<S>;
}

/** Returns the arguments of a function call, unchecked. Throws `ToolFailure` if they are not JSON. */
export function readArguments(call: ToolCall): unknown {
  if (call.payload.kind !== 'function') throw badArguments([`${call.name} takes a function call`]);
  try {
    return JSON.parse(call.payload.arguments);
  } catch (error) {
    throw badArguments([messageOf(error)], error);
  }
}

/** Returns the failure of a call with bad arguments. Its message lists the faults. */
export function badArguments(faults: readonly string[], cause?: unknown): ToolFailure {
  return new ToolFailure('parse', `failed to parse function arguments: ${faults.join('; ')}`, { cause });
}
