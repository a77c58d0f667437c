import type { OwnAction } from '../../base/action.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import { ToolFailure, UserError } from '../../base/errors.ts';
import type { ContentPart } from '../../base/item.ts';
import { isRecord, type JsonSchema } from '../../base/json-schema.ts';
import { readArguments } from '../../base/parse-arguments.ts';
import type { Tool, ToolResult, View } from '../../base/tool.ts';
import { idempotencyKey } from '../options/idempotency-key.ts';
import { readResult } from '../options/read-result.ts';
import type { StandardSchema } from '../options/read-schema.ts';
import { type Arguments, readParameters } from './tool-parameters.ts';

/** A tool of the embedding program, for `defineTool`. */
export interface ToolDefinition<P extends JsonSchema | StandardSchema, C = unknown> {
  /** Name of letters, digits, `_` and `-`, at most 64 characters. */
  readonly name: string;
  /**
   * Namespace of the name: tools in different namespaces may share a name. Namespace, two underscores and name have at
   * most 64 characters.
   */
  readonly namespace?: string;
  /** Text for the model: when to call the tool, and what it returns. */
  readonly description: string;
  /** JSON schema of an object, or a schema of zod or of another library that follows Standard Schema. */
  readonly parameters: P;
  /**
   * Whether servers that can do so keep the model to the schema, which they get in their strict form: every field is
   * required, and an optional field may be null. Default: false.
   */
  readonly strict?: boolean;
  /** Whether the tool changes anything outside the thread. Default: true. */
  readonly mutating?: boolean;
  /** Whether the tool may run at the same time as other calls. Default: true unless it is mutating. */
  readonly parallel?: boolean;
  /** Whether the thread's `ask` is called before the tool runs. A text is shown as the reason. */
  readonly needsApproval?:
    | boolean
    | ((args: Arguments<P>, thread: { readonly context: C }) => boolean | string | Promise<boolean | string>);
  /**
   * Time limit in milliseconds. After it, `signal` aborts and the model gets the message that the call took too long.
   */
  readonly timeoutMs?: number;
  /** Returns the output for the model. A thrown error becomes the output too, and the turn continues. */
  run(args: Arguments<P>, context: OwnToolContext<C>): Promise<OwnToolOutput> | OwnToolOutput;
}

/** The call that a tool runs for. `C` is the type of the thread's `context`. */
export interface OwnToolContext<C = unknown> {
  /**
   * Aborts when the turn is interrupted or the time limit is reached. The call is then answered without waiting for
   * long.
   */
  readonly signal: AbortSignal;
  /** Thread that the call belongs to. */
  readonly threadId: string;
  /** Id of the call, as in events. */
  readonly callId: string;
  /** The `context` of the thread. */
  readonly context: C;
  /** UUID of this call, the same whenever it is run again. For servers that accept each request once. */
  readonly idempotencyKey: string;
  /** Reports progress of the call in an event `call.progress`. */
  progress(text: string): void;
}

/** An output for the model: a text, or parts and whether the call succeeded. Default of `success`: true. */
export type OwnToolOutput = string | { readonly output: string | readonly ContentPart[]; readonly success?: boolean };

/**
 * Returns a tool of the embedding program for `createAgent({ tools })`. Throws `UserError` for an invalid definition.
 *
 * @example
 * const weather = defineTool({
 *   name: 'weather',
 *   description: 'Returns the weather of a city.',
 *   parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   mutating: false,
 *   run: ({ city }) => `It rains in ${city}.`,
 * });
 * const agent = createAgent({ tools: [weather] });
 */
export function defineTool<const P extends JsonSchema | StandardSchema, C = unknown>(
  definition: ToolDefinition<P, C>,
): Tool {
  checkDefinition(definition);
  const { name, namespace, description, strict = false, mutating = true, parallel = !mutating } = definition;
  const full = namespace === undefined ? name : `${namespace}__${name}`;
  if (!/^[\w-]{1,64}$/.test(full))
    throw new UserError(
      'invalid_input',
      `"${full}" is not a name for a tool: use letters, digits, _ and -, at most 64.`,
    );
  const { schema, check } = readParameters(name, definition.parameters, strict);
  /** Checked arguments by action. */
  const checked = new WeakMap<OwnAction, Arguments<P>>();

  async function planned(input: unknown, view: View): Promise<OwnAction> {
    const args = (await check(input)) as Arguments<P>;
    const approval = await approvalFor(full, definition, args, view.context as C);
    const action: OwnAction = {
      kind: 'own',
      tool: full,
      input,
      mutating,
      ...(approval === undefined ? {} : { approval }),
    };
    checked.set(action, args);
    return action;
  }

  const tool: Tool<OwnAction> = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    accepts: ['function'],
    spec: { type: 'function', name, description, strict, parameters: schema },
    parallel,
    plan: async (call, view) => planned(readArguments(call), view),
    replan: ({ input }, view) => planned(input, view),
    async run(action, environment) {
      const args = checked.has(action) ? checked.get(action) : await check(action.input);
      return runOwn(definition, args as Arguments<P>, environment);
    },
  };
  return tool as unknown as Tool;
}

const LONGEST_MS = 2 ** 31 - 1;

/** Throws `UserError` for a definition that programs in JavaScript may get wrong. */
function checkDefinition<P extends JsonSchema | StandardSchema, C>(definition: ToolDefinition<P, C>): void {
  const { name, description, parameters, run, timeoutMs } = definition ?? {};
  const wrong = (what: string) => new UserError('invalid_input', `The tool "${name}" ${what}.`);
  if (typeof name !== 'string') throw new UserError('invalid_input', 'A tool must have a name.');
  if (typeof description !== 'string') throw wrong('must have a description');
  if (typeof run !== 'function') throw wrong('must have a function `run`');
  if (!isRecord(parameters) && typeof parameters !== 'function') throw wrong('must have parameters');
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= LONGEST_MS))
    throw wrong(`must have a timeoutMs from 1 to ${LONGEST_MS}, not ${timeoutMs}`);
}

async function approvalFor<P extends JsonSchema | StandardSchema, C>(
  name: string,
  { needsApproval = false }: ToolDefinition<P, C>,
  args: Arguments<P>,
  context: C,
): Promise<string | undefined> {
  const answer = typeof needsApproval === 'function' ? await needsApproval(args, { context }) : needsApproval;
  if (answer === false) return undefined;
  return typeof answer === 'string' && answer !== '' ? answer : `The model wants to call the tool "${name}".`;
}

async function runOwn<P extends JsonSchema | StandardSchema, C>(
  definition: ToolDefinition<P, C>,
  args: Arguments<P>,
  environment: CallEnvironment,
): Promise<ToolResult> {
  const { name, timeoutMs } = definition;
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = true;
  const context: OwnToolContext<C> = {
    signal: timeoutMs === undefined ? environment.signal : AbortSignal.any([environment.signal, late.signal]),
    threadId: environment.threadId,
    callId: environment.callId,
    context: environment.context as C,
    idempotencyKey: idempotencyKey(environment),
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
    // The run may still fail after its time limit, when no code waits for it.
    result.catch(() => {});
    return resultOf(name, await Promise.race([result, expired]), environment);
  } finally {
    running = false;
    clearTimeout(timer);
  }
}

/** Converts a result. Warns about a value that is not one: the model cannot correct the program. */
function resultOf(name: string, result: unknown, { warn }: CallEnvironment): ToolResult {
  const converted = readResult(result);
  if (typeof converted !== 'string') return converted;
  const message = `the tool ${name} returned ${converted}`;
  warn(`The program's own code made a mistake: ${message}.`);
  throw new Error(message);
}
