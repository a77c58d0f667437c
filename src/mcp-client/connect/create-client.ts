import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { cutMiddle } from '../../base/bound-text.ts';
import { answerQuestion, type CallInProgress } from './answer-questions.ts';
import type { McpConnectOptions } from './connect-options.ts';
import type { Sdk } from './load-sdk.ts';

/** Revisions to try: `auto` asks whether the server speaks 2026-07-28, `legacy` does not. */
export type RevisionMode = 'auto' | 'legacy';

/** Bound on one line of a server's log. */
const LOG_LINE = { unit: 'bytes', limit: 4000 } as const;

/** Rounds of questions while a resource or a prompt is read. A call counts its own rounds. */
const MOST_ROUNDS = 8;

/** Returns a client that answers the questions of its server by the calls that run. */
export function createClient(
  sdk: Sdk,
  { config, clientInfo, sampling, roots, onLog, onToolsChanged }: McpConnectOptions,
  running: ReadonlySet<CallInProgress>,
  mode: RevisionMode,
): Client {
  const capabilities: ClientCapabilities = {
    elicitation: { form: { applyDefaults: true }, url: {} },
    roots: {},
    ...(sampling === true ? { sampling: {} } : {}),
  };
  const client = new sdk.Client(
    { ...clientInfo },
    {
      capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: probeTimeout(config) } },
      inputRequired: { maxRounds: MOST_ROUNDS },
      listMaxPages: 100,
    },
  );
  /** Returns the call that a question belongs to. The protocol does not say which one; the newest is the likeliest. */
  const asker = (can: 'elicit' | 'sample') =>
    client.getProtocolEra() === 'modern'
      ? undefined
      : [...running].findLast(({ request }) => request[can] !== undefined);
  client.setRequestHandler('elicitation/create', async ({ method, params }) => {
    const answer = await answerQuestion({ method, params }, asker('elicit'), roots);
    return answer as { action: 'decline' };
  });
  client.setRequestHandler('roots/list', async ({ method }) => {
    const answer = await answerQuestion({ method, params: {} }, undefined, roots);
    return answer as { roots: [] };
  });
  if (sampling === true) {
    client.setRequestHandler('sampling/createMessage', async ({ method, params }) => {
      const answer = await answerQuestion({ method, params }, asker('sample'), roots);
      return answer as { model: string; role: 'assistant'; content: { type: 'text'; text: string } };
    });
  }
  client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
    onLog(level, cutMiddle(typeof data === 'string' ? data : JSON.stringify(data), LOG_LINE));
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => onToolsChanged());
  // The SDK reports here, for one, the second answer to a request. None of these errors belongs to a request.
  client.onerror = () => {};
  return client;
}

/**
 * Returns the time that a server has to say its revision. A program that is silent is an older server, and needs time
 * for the handshake. Elsewhere silence is an outage.
 */
function probeTimeout({ type, startupTimeoutMs }: McpConnectOptions['config']): number {
  return type === 'stdio' ? startupTimeoutMs / 2 : startupTimeoutMs;
}
