import { McpFault } from '../../base/mcp-fault.ts';
import { MOST_MESSAGE_BYTES } from './most-message-bytes.ts';

export type Fetch = typeof globalThis.fetch;

const LINE_FEED = 0x0a;

/** Statuses whose responses have no body. */
const NO_BODY = [101, 103, 204, 205, 304];

/** The fault of the stream that broke last. The SDK reports only in words that a stream broke. */
export interface StreamFault {
  fault?: McpFault | undefined;
}

/**
 * Returns a fetch whose responses break when a message in them is too large. A stream of events has a message in each
 * line.
 */
export function boundedFetch(server: string, fetch: Fetch, last: StreamFault): Fetch {
  const fail = () => {
    last.fault = tooLargeFault(server);
    return last.fault;
  };
  return async (url, init) => {
    const response = await fetch(url, init);
    const { status, statusText, headers, body } = response;
    if (body === null || NO_BODY.includes(status)) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    const bounded = body.pipeThrough(bound(isStream, fail));
    return new Response(bounded, { status, statusText, headers });
  };
}

function bound(isStream: boolean, fail: () => McpFault): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const last = isStream ? bytes.lastIndexOf(LINE_FEED) : -1;
      const first = isStream ? bytes.indexOf(LINE_FEED) : -1;
      const isTooLarge = size + (first < 0 ? bytes.length : first) > MOST_MESSAGE_BYTES;
      size = last < 0 ? size + bytes.length : bytes.length - last;
      if (isTooLarge) controller.error(fail());
      else controller.enqueue(bytes);
    },
  });
}

export function tooLargeFault(server: string): McpFault {
  const most = MOST_MESSAGE_BYTES / 1024 / 1024;
  return new McpFault('invalid', `The MCP server "${server}" sent a message of more than ${most} MB.`);
}
