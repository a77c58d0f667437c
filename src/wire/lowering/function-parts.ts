import type { JsonSchema } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { type DeclaredTool, LOCAL_SHELL_NAME } from './declared-tools.ts';

/** A tool as a function. */
interface FunctionParts {
  readonly description: string;
  readonly strict: boolean;
  readonly parameters: JsonSchema;
}

/** Returns the function that stands for a tool. */
export function functionParts(tool: DeclaredTool): FunctionParts {
  switch (tool.kind) {
    case 'function':
      return tool.spec;
    case 'custom':
      return { description: customDescription(tool.spec), strict: false, parameters: CUSTOM_PARAMETERS };
    case 'local_shell':
      return LOCAL_SHELL;
  }
}

/** Returns the schema of the arguments of the function that stands for a tool. */
export function parametersOf(tool: DeclaredTool): JsonSchema {
  return functionParts(tool).parameters;
}

/** A free text is the one parameter of a function: a wire that has only functions has no other form for it. */
const CUSTOM_PARAMETERS: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
};

function customDescription({ description, format }: Extract<ToolSpec, { type: 'custom' }>): string {
  const grammar = format?.definition;
  if (typeof grammar !== 'string' || grammar === '') return description;
  const syntax = typeof format?.syntax === 'string' ? `${format.syntax} ` : '';
  return `${description}\n\nThe input must follow this ${syntax}grammar:\n${grammar}`.trimStart();
}

const LOCAL_SHELL: FunctionParts = {
  description: `Runs a command and returns its output. The command is a list of words; \`${LOCAL_SHELL_NAME}\` does not interpret them.`,
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' }, description: 'The command to execute.' },
      workdir: { type: 'string', description: 'The working directory to execute the command in.' },
      timeout_ms: { type: 'number', description: 'The timeout for the command in milliseconds.' },
      with_escalated_permissions: { type: 'boolean', description: 'Whether to request escalated permissions.' },
      justification: { type: 'string', description: 'A justification for running with escalated permissions.' },
    },
    required: ['command'],
    additionalProperties: false,
  },
};
