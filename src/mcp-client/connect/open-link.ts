import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import type { CallInProgress } from './answer-questions.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { createClient, type RevisionMode } from './create-client.ts';
import type { Link } from './link.ts';
import type { Sdk } from './load-sdk.ts';
import { unlessAborted } from './start-limit.ts';
import { watchTools } from './watch-tools.ts';

/** Connects a client over a transport. When that fails, or the signal aborts, the transport is closed. */
export async function openLink(
  sdk: Sdk,
  options: McpConnectOptions,
  transport: Transport,
  { mode = modeFor(options.knownRevision), signal }: { readonly mode?: RevisionMode; readonly signal: AbortSignal },
): Promise<Link> {
  const running = new Set<CallInProgress>();
  const client = createClient(sdk, options, running, mode);
  try {
    const timeout = options.config.startupTimeoutMs;
    await unlessAborted(signal, client.connect(transport, { timeout }));
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  }
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => onmessage?.(typed(message), extra);
  const link: Link = { sdk, client, server: options.config.name, running, tools: new Map(), roots: options.roots };
  watchTools(link, options.onToolsChanged);
  return link;
}

/** Returns a message whose result says its type. The SDK refuses one without it, and the output of a call would be lost. */
function typed<M extends JSONRPCMessage>(message: M): M {
  if (!('result' in message) || !isRecord(message.result)) return message;
  return { ...message, result: { resultType: 'complete', ...message.result } };
}

/** The first revision without a handshake. Servers of an older one are not asked for a newer one again. */
const MODERN = '2026-07-28';

export function modeFor(known: string | undefined): RevisionMode {
  return known !== undefined && known < MODERN ? 'legacy' : 'auto';
}
