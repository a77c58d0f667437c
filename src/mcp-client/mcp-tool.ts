import type { McpAction } from '../base/action.ts';
import type { CallEnvironment } from '../base/environment.ts';
import { messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { McpProgress, McpTool, McpToolRequest, McpToolResult } from '../base/mcp-connection.ts';
import { McpFault } from '../base/mcp-fault.ts';
import { badArguments, readArguments } from '../base/parse-arguments.ts';
import type { Tool, ToolCall, ToolResult } from '../base/tool.ts';
import type { McpServer } from './mcp-server.ts';
import { outputHeader, resultOutput } from './result-output.ts';
import type { McpToolName } from './tool-names.ts';

/** A call is cancelled after this many times its timeout, however much progress it reports. */
const MOST_TIMEOUTS = 10;

/** A function that returns the key of a call, by which a server knows a call that it gets twice. */
export type KeyOf = (call: { readonly threadId: string; readonly callId: string }) => string;

interface KeyedEnvironment extends CallEnvironment {
  readonly key: string;
}

/** Returns a tool of an MCP server as a tool of the agent. */
export function createMcpTool(server: McpServer, tool: McpTool, { name, namespace }: McpToolName, keyOf: KeyOf): Tool {
  const { config } = server;
  const { hints } = tool;
  const facts = {
    kind: 'mcp',
    server: config.name,
    tool: tool.name,
    hints,
    approval: config.toolApprovals[tool.name] ?? config.approval,
  } as const;
  const made: Tool<McpAction> = {
    name,
    ...(namespace === undefined ? {} : { namespace, namespaceText: namespaceText(server, namespace) }),
    accepts: ['function'],
    spec: {
      type: 'function',
      name,
      description: tool.description === '' ? (tool.title ?? '') : tool.description,
      strict: false,
      parameters: tool.inputSchema,
    },
    parallel: config.parallelCalls || hints.readOnly === true,
    plan: async (call) => ({ ...facts, input: inputOf(call) }),
    run: (action, environment) => run(server, tool, action, { ...environment, key: keyOf(environment) }),
  };
  return made as unknown as Tool;
}

const NAMESPACE_TEXT = 2000;

function namespaceText(server: McpServer, namespace: string): string {
  return server.facts()?.instructions?.slice(0, NAMESPACE_TEXT) || `Tools in the ${namespace} namespace.`;
}

/** Returns the arguments of a call. Some models send an empty text where there are none. */
function inputOf(call: ToolCall): Readonly<Record<string, unknown>> {
  if (call.payload.kind === 'function' && call.payload.arguments.trim() === '') return {};
  const input = readArguments(call);
  if (!isRecord(input)) throw badArguments(['the arguments are not an object']);
  return input;
}

async function run(
  server: McpServer,
  tool: McpTool,
  { input }: McpAction,
  environment: KeyedEnvironment,
): Promise<ToolResult> {
  const { config } = server;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  try {
    const result = await call(server, tool, input as Readonly<Record<string, unknown>>, environment);
    // A tool may change the tools of its server. The next request should have them.
    await server.listed();
    const tokens = config.toolOutputTokens?.[tool.name];
    const limit = tokens === undefined ? undefined : ({ unit: 'tokens', limit: tokens } as const);
    const output = resultOutput(result, { seconds: seconds(), limit });
    const structured = (result.structuredContent ?? null) !== null;
    return result.isError
      ? { output, success: false, failure: 'mcp', structured }
      : { output, success: true, structured };
  } catch (error) {
    environment.signal.throwIfAborted();
    const failure = error instanceof McpFault && error.kind === 'timeout' ? 'timeout' : 'mcp';
    return { output: `${outputHeader(seconds())}\ntool call error: ${messageOf(error)}`, success: false, failure };
  }
}

/**
 * Calls a tool. A call whose connection is lost is sent once more if the server says that this does no harm. Otherwise
 * its outcome is unknown, and only the model can find out.
 */
async function call(
  server: McpServer,
  tool: McpTool,
  input: Readonly<Record<string, unknown>>,
  environment: KeyedEnvironment,
): Promise<McpToolResult> {
  const { config } = server;
  const { signal, threadId, callId, elicit, sample } = environment;
  const isHarmless = tool.hints.readOnly === true || tool.hints.idempotent === true;
  const { name } = tool;
  const request = {
    tool: name,
    input,
    timeoutMs: config.toolTimeoutMs,
    maxTotalMs: config.toolTimeoutMs * MOST_TIMEOUTS,
    meta: { callId, threadId, 'oxbow/idempotencyKey': environment.key },
    signal,
    onProgress: (progress: McpProgress) => environment.progress(progressText(progress)),
    ...(elicit && {
      elicit: (question, aborts) => elicit({ server: config.name, tool: name, question }, aborts),
    }),
    ...(config.sampling && {
      sample: fewTimes(config.name, (request, aborts) => sample({ server: config.name, tool: name, request }, aborts)),
    }),
  } satisfies Parameters<McpConnectionCall>[0];
  for (let attempt = 0; ; attempt++) {
    const connection = await server.connection(signal);
    try {
      return await connection.callTool(request);
    } catch (error) {
      if (!(error instanceof McpFault) || error.kind !== 'lost') throw error;
      if (!isHarmless || attempt > 0) throw isHarmless ? error : unknownOutcome(error, config.name, name);
      await connection.ended;
    }
  }
}

/** Messages of the model that a server may ask for during one call. */
const MOST_SAMPLES = 5;

type Sample = NonNullable<McpToolRequest['sample']>;

function fewTimes(server: string, sample: Sample): Sample {
  let times = 0;
  return async (request, signal) => {
    if (times++ < MOST_SAMPLES) return sample(request, signal);
    const text = `The MCP server "${server}" asked for more than ${MOST_SAMPLES} messages of the model in one call.`;
    throw new McpFault('refused', text);
  };
}

type McpConnectionCall = Awaited<ReturnType<McpServer['connection']>>['callTool'];

function unknownOutcome({ message }: McpFault, server: string, tool: string): McpFault {
  return new McpFault(
    'lost',
    `${message} The outcome of the call is unknown: the tool "${tool}" of the MCP server "${server}" may have taken effect or not. It was not called again. Check the state of things before you do.`,
  );
}

function progressText({ progress, total, message }: McpProgress): string {
  const count = total === null ? String(progress) : `${progress}/${total}`;
  return message === null || message === '' ? count : `${message} (${count})`;
}
