import type { OwnAction } from '../base/action.ts';
import { UserError } from '../base/errors.ts';
import type { ContentPart } from '../base/item.ts';
import type { Infer, JsonSchema } from '../base/json-schema.ts';
import { parseArguments } from '../base/parse-arguments.ts';
import type { Tool } from '../base/tool.ts';

export interface ToolDefinition<S extends JsonSchema> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object, written `as const` for typed arguments. */
  readonly parameters: S;
  /** Whether it changes anything outside the thread. Default true. */
  readonly mutating?: boolean;
  /** Whether it may run beside other calls. Default: when it is not mutating. */
  readonly parallel?: boolean;
  /** Gives the output for the model. What it throws becomes the output too, and the turn goes on. */
  run(args: Infer<S>, context: OwnToolContext): Promise<OwnToolOutput> | OwnToolOutput;
}

export interface OwnToolContext {
  readonly signal: AbortSignal;
}

export type OwnToolOutput = string | { readonly output: string | readonly ContentPart[]; readonly success: boolean };

/** A tool of the embedding program, for `createAgent({ tools })`. */
export function defineTool<const S extends JsonSchema>(definition: ToolDefinition<S>): Tool {
  const { name, description, parameters, mutating = true, parallel = !mutating } = definition;
  if (!/^[\w-]{1,64}$/.test(name))
    throw new UserError(`"${name}" is no name for a tool: use letters, digits, _ and -.`);
  const tool: Tool<OwnAction> = {
    name,
    accepts: ['function'],
    spec: { type: 'function', name, description, strict: false, parameters },
    parallel,
    plan: async (call) => ({ kind: 'own', tool: name, input: parseArguments(call, parameters), mutating }),
    async run(action, { signal }) {
      const result = await definition.run(action.input as Infer<S>, { signal });
      return typeof result === 'string' ? { output: result, success: true } : result;
    },
  };
  return tool as unknown as Tool;
}
