import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/json-schema.ts';
import { McpFault } from '../../base/mcp-fault.ts';
import type { StreamFault } from './bounded-fetch.ts';
import { faultAnswer } from './fault-answer.ts';
import type { Sdk } from './load-sdk.ts';

/**
 * Makes every request over HTTP end. Without this, the SDK waits for an answer after the stream of a request has
 * ended, leaves the stream of a cancelled request open, and goes on in a session that the server has forgotten.
 */
export function watchAnswers(
  sdk: Sdk,
  server: string,
  transport: StreamableHTTPClientTransport,
  last: StreamFault,
): void {
  const open = new Map<unknown, AbortController>();
  const send = transport.send.bind(transport);
  transport.onmessage = (message) => {
    if (!('method' in message)) open.delete(message.id);
  };
  transport.send = async (message, options) => {
    if (Array.isArray(message) || !('method' in message)) return await send(message, options);
    if (!('id' in message)) {
      await send(message, options);
      if (message.method === 'notifications/cancelled') closeStream(open, message.params);
      return;
    }
    const { id } = message;
    const closing = new AbortController();
    open.set(id, closing);
    const signals = [closing.signal, ...(options?.requestSignal ? [options.requestSignal] : [])];
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.();
      if (open.delete(id) && typeof id === 'number') {
        transport.onmessage?.(faultAnswer(id, last.fault ?? streamEndFault(server)));
        last.fault = undefined;
      }
    };
    try {
      await send(message, { ...options, requestSignal: AbortSignal.any(signals), onRequestStreamEnd });
    } catch (error) {
      open.delete(id);
      if (!isForgotten(sdk, transport, error)) throw error;
      // The request fails first: the end of the connection would make it lost.
      setImmediate(() => void transport.close());
      throw new McpFault('refused', forgottenText(server));
    }
  };
}

function closeStream(open: Map<unknown, AbortController>, params: unknown): void {
  const id = isRecord(params) ? params.requestId : undefined;
  open.get(id)?.abort();
  open.delete(id);
}

function streamEndFault(server: string): McpFault {
  return new McpFault('lost', `The MCP server "${server}" closed the connection before it answered.`);
}

/** Reports whether an error says that the server no longer knows the session. The request was not run then. */
function isForgotten(sdk: Sdk, { sessionId }: StreamableHTTPClientTransport, error: unknown): boolean {
  return sessionId !== undefined && error instanceof sdk.SdkHttpError && error.status === 404;
}

function forgottenText(server: string): string {
  return `The MCP server "${server}" no longer knows this session (HTTP 404), and did not run the request. A new session is needed.`;
}
