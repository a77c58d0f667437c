import { createHash } from 'node:crypto';
import type { OwnAction } from '../../base/action.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import { ToolFailure, UserError } from '../../base/errors.ts';
import type { ContentPart } from '../../base/item.ts';
import { isRecord, type JsonSchema } from '../../base/json-schema.ts';
import { readArguments } from '../../base/parse-arguments.ts';
import type { Tool, ToolResult } from '../../base/tool.ts';
import { type Arguments, readParameters, type StandardSchema } from './tool-parameters.ts';

export interface ToolDefinition<P extends JsonSchema | StandardSchema> {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** Tools of one name may stand in different namespaces. Together with two underscores at most 64 characters. */
  readonly namespace?: string;
  readonly description: string;
  /** A JSON schema of an object, or a schema of zod or of another library that follows Standard Schema. */
  readonly parameters: P;
  /** Whether it changes anything outside the thread. Default true. */
  readonly mutating?: boolean;
  /** Whether it may run beside other calls. Default: when it is not mutating. */
  readonly parallel?: boolean;
  /** Whether the user is asked before it runs, by the thread's `ask`. A text says why. */
  readonly needsApproval?: boolean | ((args: Arguments<P>) => boolean | string | Promise<boolean | string>);
  /** After so long `signal` aborts, and the model is told that the call took too long. */
  readonly timeoutMs?: number;
  /** Gives the output for the model. What it throws becomes the output too, and the turn goes on. */
  run(args: Arguments<P>, context: OwnToolContext): Promise<OwnToolOutput> | OwnToolOutput;
}

export interface OwnToolContext {
  /** Aborts when the turn is interrupted or the time is over. The call is then answered without waiting for long. */
  readonly signal: AbortSignal;
  readonly threadId: string;
  readonly callId: string;
  /** A UUID that is the same for this call whenever, and no other's: for servers that take each request once. */
  readonly idempotencyKey: string;
  /** Tells whoever watches how far the call is, by an event `call.progress`. */
  progress(text: string): void;
}

export type OwnToolOutput = string | { readonly output: string | readonly ContentPart[]; readonly success?: boolean };

/** A tool of the embedding program, for `createAgent({ tools })`. Throws `UserError` for a definition that cannot be. */
export function defineTool<const P extends JsonSchema | StandardSchema>(definition: ToolDefinition<P>): Tool {
  const { name, namespace, description, mutating = true, parallel = !mutating } = definition;
  const full = namespace === undefined ? name : `${namespace}__${name}`;
  if (!/^[\w-]{1,64}$/.test(full))
    throw new UserError(
      'invalid_input',
      `"${full}" is not a name for a tool: use letters, digits, _ and -, at most 64.`,
    );
  const { schema, check } = readParameters(name, definition.parameters);
  /** What the checks made of the input. An action that the user put in the place of ours is checked when it runs. */
  const checked = new WeakMap<OwnAction, Arguments<P>>();
  const tool: Tool<OwnAction> = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    accepts: ['function'],
    spec: { type: 'function', name, description, strict: false, parameters: schema },
    parallel,
    async plan(call) {
      const input = readArguments(call);
      const args = (await check(input)) as Arguments<P>;
      const approval = await approvalFor(full, definition, args);
      const action: OwnAction = {
        kind: 'own',
        tool: full,
        input,
        mutating,
        ...(approval === undefined ? {} : { approval }),
      };
      checked.set(action, args);
      return action;
    },
    async run(action, environment) {
      const args = checked.has(action) ? checked.get(action) : await check(action.input);
      return runOwn(definition, args as Arguments<P>, environment);
    },
  };
  return tool as unknown as Tool;
}

async function approvalFor<P extends JsonSchema | StandardSchema>(
  name: string,
  { needsApproval = false }: ToolDefinition<P>,
  args: Arguments<P>,
): Promise<string | undefined> {
  const answer = typeof needsApproval === 'function' ? await needsApproval(args) : needsApproval;
  if (answer === false) return undefined;
  return typeof answer === 'string' && answer !== '' ? answer : `The model wants to call the tool "${name}".`;
}

async function runOwn<P extends JsonSchema | StandardSchema>(
  definition: ToolDefinition<P>,
  args: Arguments<P>,
  environment: CallEnvironment,
): Promise<ToolResult> {
  const { name, timeoutMs } = definition;
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = true;
  const context: OwnToolContext = {
    signal: timeoutMs === undefined ? environment.signal : AbortSignal.any([environment.signal, late.signal]),
    threadId: environment.threadId,
    callId: environment.callId,
    idempotencyKey: keyOf(environment),
    progress(text) {
      if (running) environment.progress(String(text));
    },
  };
  const expired = new Promise<never>((_, reject) => {
    if (timeoutMs === undefined) return;
    timer = setTimeout(() => {
      const failure = new ToolFailure('timeout', `${name} timed out after ${timeoutMs} milliseconds`);
      late.abort(failure);
      reject(failure);
    }, timeoutMs);
  });
  try {
    const result = (async () => definition.run(args, context))();
    // It may still fail when nobody waits for it any more.
    result.catch(() => {});
    return toResult(name, await Promise.race([result, expired]));
  } finally {
    running = false;
    clearTimeout(timer);
  }
}

/** In the form of a UUID, which every server takes. */
function keyOf({ threadId, callId }: CallEnvironment): string {
  const hex = createHash('sha256').update(`${threadId}\n${callId}`).digest('hex');
  const variant = (Number.parseInt(hex.charAt(16), 16) & 3) + 8;
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`];
  return [...parts, `${variant.toString(16)}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}

/** Programs in JavaScript may return anything. */
function toResult(name: string, result: OwnToolOutput | undefined | null): ToolResult {
  if (result === undefined || result === null) return { output: '', success: true };
  if (typeof result === 'string') return { output: result, success: true };
  if (!isRecord(result) || !(typeof result.output === 'string' || Array.isArray(result.output)))
    throw new Error(`the tool ${name} gave neither a text nor { output }`);
  const { output, success = true } = result;
  return success ? { output, success } : { output, success, failure: 'execution' };
}
