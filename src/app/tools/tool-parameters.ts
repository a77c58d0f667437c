import { messageOf, UserError } from '../../base/errors.ts';
import { type Infer, isRecord, type JsonSchema } from '../../base/json-schema.ts';
import { badArguments } from '../../base/parse-arguments.ts';
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

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Arguments of a tool's `run`: the values that its schema accepts, or their transformed form. */
export type Arguments<P> = P extends StandardSchema<infer Output> ? Output : Infer<P>;

/** Parameters of a tool: the schema for the model and the check of its arguments. */
export interface ToolParameters {
  readonly schema: JsonSchema;
  /** Returns the checked value. Throws `ToolFailure` with the mistakes, for the model. */
  check(value: unknown): Promise<unknown>;
}

/** Reads the parameters of a definition. Throws `UserError` for parameters that cannot be described to a model. */
export function readParameters(tool: string, parameters: JsonSchema | StandardSchema): ToolParameters {
  const standard = isStandard(parameters) ? parameters['~standard'] : undefined;
  const schema = standard ? jsonSchemaOf(tool, standard) : (parameters as JsonSchema);
  if (!isRecord(schema) || schema.type !== 'object')
    throw new UserError(
      'invalid_input',
      `The parameters of the tool "${tool}" must be the schema of an object, with type "object".`,
    );
  return {
    schema,
    async check(value) {
      const given = withoutNulls(schema, value);
      if (!standard) {
        const faults = schemaFaults(schema, given, { unknown: 'refused' });
        if (faults.length > 0) throw badArguments(faults);
        return given;
      }
      const result = await standard.validate(given);
      if (result.issues) throw badArguments(issueTexts(result.issues));
      return result.value;
    },
  };
}

function isStandard(parameters: JsonSchema | StandardSchema): parameters is StandardSchema {
  return '~standard' in parameters;
}

function jsonSchemaOf(tool: string, { vendor, jsonSchema }: StandardSchema['~standard']): JsonSchema {
  if (!jsonSchema)
    throw new UserError(
      'invalid_input',
      `The parameters of the tool "${tool}" are a schema of ${vendor} that cannot be written as a JSON schema. Use a newer version of ${vendor}, or give a JSON schema.`,
    );
  try {
    const { $schema: _, ...schema } = jsonSchema.input({ target: 'draft-07' });
    return schema;
  } catch (error) {
    throw new UserError(
      'invalid_input',
      `The parameters of the tool "${tool}" cannot be written as a JSON schema: ${messageOf(error)}`,
      { cause: error },
    );
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
