import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolRequestOptions } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import type { McpToolRequest, McpToolResult } from '../../base/mcp-connection.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import { answerQuestion, type CallInProgress } from './answer-questions.ts';
import { type CallClock, createCallClock } from './call-clock.ts';
import { faultOf } from './fault-of.ts';
import { cancelled, isModern, type Link, request } from './link.ts';
import { listTools } from './list-all.ts';

/** Rounds of questions that a server may ask in one call. */
const MOST_ROUNDS = 8;

/** Pause before a call is repeated for a server that wants to be asked again but asks nothing. */
const ROUND_PAUSE_MS = 250;

/** The clock of the call has the limits. The SDK would count the time in which the user is asked. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** Code of a server that refuses a call because its headers do not fit the tool as it is now. */
const HEADER_MISMATCH = -32020;

type Params = Readonly<Record<string, unknown>>;

/**
 * Calls a tool, and answers the questions that the server asks before it has a result. The call is sent once: it is
 * sent again only if the server asks for that in its answer, or refused it before it ran.
 */
export async function callTool(link: Link, call: McpToolRequest): Promise<McpToolResult> {
  const { signal } = call;
  if (signal.aborted) throw cancelled(link.server);
  const clock = createCallClock(call);
  const running: CallInProgress = { request: call, clock };
  link.running.add(running);
  try {
    return readResult(link, await rounds(link, call, clock, running));
  } catch (error) {
    const ms = clock.expired();
    if (ms !== undefined) throw new McpFault('timeout', timeoutText(link.server, call.tool, ms));
    throw signal.aborted ? cancelled(link.server) : faultOf(link.sdk, link.server, error);
  } finally {
    clock.stop();
    link.running.delete(running);
  }
}

async function rounds(link: Link, call: McpToolRequest, clock: CallClock, running: CallInProgress): Promise<Params> {
  const first = { name: call.tool, arguments: call.input, _meta: call.meta };
  let params: Params = first;
  for (let round = 0; round <= MOST_ROUNDS; round++) {
    const result = await send(link, params, call, clock);
    if (!isModern(link) || result.resultType !== 'input_required') return result;
    const { inputRequests, requestState } = result;
    const answers = await answersTo(link, isRecord(inputRequests) ? inputRequests : {}, running);
    const state = typeof requestState === 'string' ? { requestState } : {};
    params = { ...first, ...(answers === undefined ? {} : { inputResponses: answers }), ...state };
    if (answers === undefined) await delay(ROUND_PAUSE_MS, undefined, { signal: clock.signal });
  }
  throw new McpFault(
    'invalid',
    `The MCP server "${link.server}" asked for input more than ${MOST_ROUNDS} times in one call.`,
  );
}

async function send(link: Link, params: Params, call: McpToolRequest, clock: CallClock): Promise<Params> {
  const options: CallToolRequestOptions & { signal: AbortSignal } = {
    signal: clock.signal,
    timeout: NO_TIMEOUT,
    // Without a receiver the SDK asks for no progress.
    onprogress({ progress, total, message }) {
      clock.progressed();
      call.onProgress({ progress, total: total ?? null, message: message ?? null });
    },
  };
  if (!isModern(link)) return await request(link, 'tools/call', params, options);
  const sendModern = async () => {
    const tool = link.tools.get(call.tool);
    // The schema of the output is left out: a result that does not fit it is still the result.
    const known = tool === undefined ? {} : { toolDefinition: { name: tool.name, inputSchema: tool.inputSchema } };
    const sent = { ...params, name: call.tool, arguments: { ...call.input } };
    return await link.client.callTool(sent, { ...options, ...known, allowInputRequired: true });
  };
  try {
    return await sendModern();
  } catch (error) {
    const isMismatch = error instanceof link.sdk.ProtocolError && error.code === HEADER_MISMATCH;
    if (!isMismatch) throw error;
    await listTools(link, clock.signal);
    return await sendModern();
  }
}

/** Answers the questions of one round, or returns undefined if there are none. */
async function answersTo(link: Link, questions: Params, running: CallInProgress): Promise<Params | undefined> {
  const asked = Object.entries(questions);
  if (asked.length === 0) return undefined;
  const answers = asked.map(async ([key, question]) => {
    const { method, params } = isRecord(question) ? question : {};
    return [key, await answerQuestion({ method: String(method), params }, running, link.roots)] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

function readResult({ server }: Link, { content = [], structuredContent, isError }: Params): McpToolResult {
  if (!Array.isArray(content))
    throw new McpFault('invalid', `The MCP server "${server}" sent a result without content.`);
  return { content: content.filter(isRecord), structuredContent, isError: isError === true };
}

function timeoutText(server: string, tool: string, ms: number): string {
  return `The tool "${tool}" of the MCP server "${server}" did not answer within ${ms / 1000} s, and was cancelled.`;
}
