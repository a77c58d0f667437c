import { messageOf, ToolFailure } from './errors.ts';
import { type Infer, type JsonSchema, schemaFault } from './json-schema.ts';
import type { ToolCall } from './tool.ts';

/** The arguments of a function call, checked against the tool's schema. Throws `ToolFailure` with a text for the model. */
export function parseArguments<const S extends JsonSchema>(call: ToolCall, schema: S): Infer<S> {
  if (call.payload.kind !== 'function') throw wrong(`${call.name} takes a function call`);
  let value: unknown;
  try {
    value = JSON.parse(call.payload.arguments);
  } catch (error) {
    throw wrong(messageOf(error), error);
  }
  const fault = schemaFault(schema, value);
  if (fault !== undefined) throw wrong(fault);
  return withoutNulls(value) as Infer<S>;
}

function wrong(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure('parse', `failed to parse function arguments: ${reason}`, { cause });
}

function withoutNulls(value: unknown): unknown {
  return Object.fromEntries(Object.entries(value as object).filter(([, field]) => field !== null));
}
