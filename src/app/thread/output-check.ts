import { messageOf, UserError } from '../../base/errors.ts';
import { isRecord, type JsonSchema } from '../../base/json-schema.ts';
import type { EngineRunOptions } from '../../engine/thread.ts';
import {
  type CheckedValue,
  isStandard,
  readSchema,
  type SchemaOutput,
  type StandardSchema,
} from '../options/read-schema.ts';
import { strictSchema } from '../options/strict-schema.ts';

/** A schema for the final answer: a JSON schema, or a schema of zod or of another library that follows Standard Schema. */
export type AnswerSchema = JsonSchema | StandardSchema;

/** The type of `output` with this schema. */
export type OutputOf<S> = S extends undefined ? undefined : SchemaOutput<S>;

/** The check of the final answer of one turn. */
export interface OutputCheck {
  /** Options of the turn: the JSON schema for the server, and the check of an answer. */
  readonly options: Required<Pick<EngineRunOptions, 'outputSchema' | 'checkOutput'>>;
  /** Value of the last answer that was checked. Undefined if the answer had faults. */
  output(): unknown;
}

/** Reads a schema for the final answer. Throws `UserError` for a value that is not a schema. */
export function createOutputCheck(given: AnswerSchema): OutputCheck {
  if (!isSchema(given)) throw new UserError('invalid_input', NOT_A_SCHEMA);
  const { schema, check } = readSchema('The option outputSchema', given);
  let output: unknown;
  return {
    options: {
      outputSchema: (isStandard(given) && strictSchema(schema)) || schema,
      async checkOutput(answer) {
        const { value, faults = [] } = await parsed(answer, check);
        output = value;
        return faults;
      },
    },
    output: () => output,
  };
}

const NOT_A_SCHEMA =
  'The option outputSchema is not a schema. Give a JSON schema, or a schema of zod or of another library that follows Standard Schema.';

function isSchema(given: unknown): given is AnswerSchema {
  if (typeof given === 'function' || isRecord(given)) if (isStandard(given)) return true;
  return isRecord(given) && isPlain(given) && KEYWORDS.some((keyword) => keyword in given);
}

/** Keywords without which a JSON schema says nothing about its values. Other objects are mistakes of the program. */
const KEYWORDS = ['type', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

/** Reports whether an object is data, not an instance of a class. The object may come from another realm. */
function isPlain(given: object): boolean {
  const prototype = Object.getPrototypeOf(given);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

async function parsed(answer: string, check: (value: unknown) => Promise<CheckedValue>): Promise<CheckedValue> {
  let json: unknown;
  try {
    json = JSON.parse(unfenced(answer));
  } catch (error) {
    return { faults: [`the answer is not JSON: ${messageOf(error)}`] };
  }
  try {
    return await check(json);
  } catch (error) {
    // Transforms throw for values that they cannot read, such as a text that is not a URL.
    return { faults: [`the answer cannot be read: ${messageOf(error)}`] };
  }
}

/** Returns a text without the code fence that stands around all of it. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  const begin = trimmed.indexOf('\n');
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && begin > 0;
  return isFenced ? trimmed.slice(begin, -'```'.length) : text;
}
