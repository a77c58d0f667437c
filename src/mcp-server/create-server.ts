import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { elicitationOf } from './approval.ts';
import type { ClientLink } from './client-link.ts';
import { LISTED_TOOLS } from './listed-tools.ts';
import type { LoadedThreads } from './loaded-threads.ts';
import { readCodexInput, readReplyInput } from './read-input.ts';
import { type AskMode, type CallOptions, type RunningCall, startCall } from './running-call.ts';
import { type CodexResult, failedResult } from './tool-result.ts';
import type { WaitingCalls } from './waiting-calls.ts';

/** The parts that all connections of a server share. */
export interface ServedParts {
  readonly threads: LoadedThreads;
  readonly waiting: WaitingCalls;
  readonly version: string;
  /** Returns the HTTP exchange of a request. Absent for a connection that is not HTTP. */
  exchangeOf?(request: Request): Exchange | undefined;
  /** Called with an error that is a bug. */
  onError(error: unknown): void;
}

/** A request over HTTP and the stream that answers it. */
export interface Exchange {
  /** Aborts when the client leaves before the end of the answer. */
  readonly left: AbortSignal;
  /** Resolves when the client has read enough for more to be sent. */
  room(): Promise<void>;
}

/** Returns a server for one connection, or for one request of a client that needs no connection. */
export function createServer(parts: ServedParts): Server {
  const server = new Server(
    { name: 'oxbow-mcp-server', title: 'Oxbow', version: parts.version },
    { capabilities: { tools: {} } },
  );
  const cancellers = new Map<unknown, AbortController>();
  server.onerror = () => {};
  server.setRequestHandler('tools/list', () => ({ tools: LISTED_TOOLS.map((tool) => structuredClone(tool) as never) }));
  // The handler of the SDK would leave a cancelled request without an answer.
  server.setNotificationHandler('notifications/cancelled', ({ params }) => {
    cancellers.get(params.requestId)?.abort();
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const cancelled = new AbortController();
    const { id } = context.mcpReq;
    cancellers.set(id, cancelled);
    try {
      const link = linkOf(context, parts, cancelled.signal);
      const call = startOrResume(params, context, modeOf(server, context), parts);
      return 'content' in call ? call : await followed(call, link, parts);
    } finally {
      if (cancellers.get(id) === cancelled) cancellers.delete(id);
    }
  });
  return server;
}

/** Follows a call to its end, or to its next questions. */
async function followed(
  call: RunningCall,
  link: ClientLink,
  { waiting }: ServedParts,
): Promise<CodexResult | InputRequiredResult> {
  const end = await call.follow(link);
  if (end.type === 'end') return end.result;
  const { threadId, asks } = end;
  const inputRequests = asks.map((ask) => {
    const params = { mode: 'form', ...elicitationOf(ask, { threadId, requestId: link.requestId }) };
    return [ask.id, { method: 'elicitation/create', params }];
  });
  return {
    resultType: 'input_required',
    inputRequests: Object.fromEntries(inputRequests),
    requestState: waiting.add(call),
  };
}

/** Starts the call of a request, or goes on with the call whose questions it answers. A wrong input is a result. */
function startOrResume(
  { name, arguments: input }: { readonly name: string; readonly arguments?: unknown },
  { mcpReq }: ServerContext,
  mode: AskMode,
  parts: ServedParts,
): RunningCall | CodexResult {
  const state = mcpReq.requestState();
  if (state !== undefined) return resumed(String(state), mcpReq, parts);
  const make = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (make === undefined) {
    const known = LISTED_TOOLS.map((tool) => tool.name).join(' and ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: "${name}". There are ${known}.`);
  }
  try {
    return startCall({ ...make(input, parts.threads), mode, onError: parts.onError });
  } catch (error) {
    if (error instanceof UserError) return failedResult(error.message);
    throw error;
  }
}

function resumed(state: string, mcpReq: ServerContext['mcpReq'], { waiting }: ServedParts): RunningCall {
  const call = waiting.take(state);
  if (call === undefined) {
    const message = 'Invalid or expired requestState: no call waits for these answers.';
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { reason: 'invalid_request_state' });
  }
  for (const [askId, answer] of Object.entries(mcpReq.inputResponses ?? {})) call.answer(askId, answer);
  // An answer that is not a result at all declines, like every answer that cannot be read.
  for (const askId of mcpReq.droppedInputResponseKeys ?? []) call.answer(askId, undefined);
  return call;
}

type CallMaker = (input: unknown, threads: LoadedThreads) => Omit<CallOptions, 'mode' | 'onError'>;

const CALLS: Readonly<Record<string, CallMaker>> = {
  codex(input, threads) {
    const read = readCodexInput(input);
    return { prompt: read.prompt, open: (asker) => threads.start(read, asker) };
  },
  'codex-reply'(input, threads) {
    const { threadId, ...rest } = readReplyInput(input);
    return { ...rest, open: (asker) => threads.use(threadId, asker) };
  },
};

/** Returns how the client of a request can be asked, by the capabilities that it declares. */
function modeOf(server: Server, { mcpReq }: ServerContext): AskMode {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  const declared = envelope === undefined ? server.getClientCapabilities() : envelope[CLIENT_CAPABILITIES_META_KEY];
  if (!hasForms(declared)) return { type: 'never' };
  if (envelope !== undefined) return { type: 'rounds' };
  return {
    type: 'push',
    elicit: (params, signal) =>
      mcpReq.send({ method: 'elicitation/create', params }, ANY_RESULT, { signal, timeout: LONGEST_TIMER_MS }),
  };
}

/** Reports whether a client shows forms. Older clients declare elicitation without its modes. */
function hasForms(capabilities: unknown): boolean {
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  return isRecord(elicitation) && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** A question stays open until it is answered, or until the turn is interrupted. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Accepts every answer to an elicitation, as clients of Codex answer in another form than MCP has. */
const ANY_RESULT = {
  '~standard': { version: 1, vendor: 'oxbow', validate: (value: unknown) => ({ value }) },
} as const;

function linkOf({ mcpReq, http }: ServerContext, { exchangeOf }: ServedParts, cancelled: AbortSignal): ClientLink {
  const exchange = http?.req === undefined ? undefined : exchangeOf?.(http.req);
  const signals = [cancelled, mcpReq.signal, ...(exchange === undefined ? [] : [exchange.left])];
  return {
    requestId: mcpReq.id,
    progressToken: mcpReq._meta?.progressToken,
    signal: AbortSignal.any(signals),
    async notify(method, params) {
      await exchange?.room();
      if (exchange?.left.aborted) throw new Error('The client has gone.');
      await mcpReq.notify({ method, params });
    },
  };
}
