import { messageOf } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import type { EndSignal } from '../model/end-signal.ts';
import type { Fields } from '../wire/request-fields.ts';
import type { Wire } from '../wire/wire.ts';
import { badRequest, ClientError } from './client-error.ts';
import type { Incoming } from './client-io.ts';

/** What a client asked for. */
export interface AskedRequest {
  readonly wire: Wire;
  /** The body as it came. */
  readonly bytes: Uint8Array;
  /** The body that the bytes say, until something of the request is changed. */
  readonly original: Fields;
  readonly body: Fields;
  /** The name by which the client calls the model. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants to hear of the usage at the end of a stream. */
  readonly includeUsage: boolean;
}

/** Reads the request of a client. Throws `ClientError`. */
export async function readRequest(
  wire: Wire,
  incoming: Incoming,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: EndSignal },
): Promise<AskedRequest> {
  const encoding = incoming.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const said = `The gateway does not read bodies that are encoded as ${encoding}. Send the request as plain JSON.`;
    throw new ClientError(said, { status: 415, code: 'unsupported_encoding' });
  }
  const bytes = await incoming.readBody(maxBytes, signal);
  if (bytes === undefined) {
    const said = `The body of the request is longer than the ${maxBytes} bytes that this gateway takes.`;
    throw new ClientError(said, { status: 413, code: 'request_too_large' });
  }
  const body = parsed(bytes);
  const { model, stream, stream_options: options } = body;
  if (typeof model !== 'string' || model === '') throw badRequest('The request names no model.', 'model');
  return {
    wire,
    bytes,
    original: body,
    body,
    model,
    stream: stream === true,
    includeUsage: wire.name === 'responses' || (isRecord(options) && options.include_usage === true),
  };
}

function parsed(bytes: Uint8Array): Fields {
  let body: unknown;
  try {
    const text = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    body = JSON.parse(text.toString());
  } catch (error) {
    throw badRequest(`The body of the request is no JSON: ${messageOf(error)}.`);
  }
  if (!isRecord(body)) throw badRequest('The body of the request must be a JSON object.');
  return body;
}
