import { messageOf, UserError } from '../../base/errors.ts';
import type { Infer, JsonSchema } from '../../base/json-schema.ts';
import { schemaFaults, withoutNulls } from '../../base/schema-faults.ts';

/** A schema of any library that follows Standard Schema (standardschema.dev) and can write itself as a JSON schema. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** The result of a check by a schema: the value, or the mistakes in it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A mistake that a schema found. `path` leads to the wrong value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The values that a schema accepts, or their transformed form. */
export type SchemaOutput<S> = S extends StandardSchema<infer Output> ? Output : Infer<S>;

/** A schema as a model gets it, and its check. */
export interface CheckedSchema {
  readonly schema: JsonSchema;
  /** Returns the value that the schema makes of a value, or the faults of the value in words for the model. */
  check(value: unknown): Promise<CheckedValue>;
}

export type CheckedValue =
  | { readonly value: unknown; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly string[] };

/**
 * Reads a JSON schema or a schema of a library. `what` names it in errors. Throws `UserError` for a schema that cannot
 * be described to a model.
 */
export function readSchema(what: string, given: JsonSchema | StandardSchema): CheckedSchema {
  const standard = isStandard(given) ? given['~standard'] : undefined;
  const schema = standard ? jsonSchemaOf(what, standard) : (given as JsonSchema);
  return {
    schema,
    async check(raw) {
      const value = withoutNulls(schema, raw);
      if (!standard) {
        const faults = schemaFaults(schema, value, { unknown: 'refused' });
        return faults.length > 0 ? { faults } : { value };
      }
      const result = await standard.validate(value);
      return result.issues ? { faults: issueTexts(result.issues) } : { value: result.value };
    },
  };
}

export function isStandard(schema: object): schema is StandardSchema {
  return '~standard' in schema;
}

function jsonSchemaOf(what: string, { vendor, jsonSchema }: StandardSchema['~standard']): JsonSchema {
  const wrong = (why: string, options = {}) =>
    new UserError('invalid_input', `${what} cannot be written as a JSON schema${why}`, options);
  if (!jsonSchema)
    throw wrong(` by this version of ${vendor}. Use a newer version of ${vendor}, or give a JSON schema.`);
  try {
    const { $schema: _, ...schema } = jsonSchema.input({ target: 'draft-07' });
    return schema;
  } catch (error) {
    throw wrong(`: ${messageOf(error)}`, { cause: error });
  }
}

const MOST_ISSUES = 4;

function issueTexts(issues: readonly StandardIssue[]): readonly string[] {
  return issues.slice(0, MOST_ISSUES).map(({ message, path = [] }) => {
    const place = path.map((step) => (typeof step === 'object' ? step.key : step)).reduce(joined, '');
    return place === '' ? message : `invalid value for \`${place}\`: ${message}`;
  });
}

function joined(path: string, step: PropertyKey): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  return path === '' ? String(step) : `${path}.${String(step)}`;
}
