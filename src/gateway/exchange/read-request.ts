import { messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import type { EndSignal } from '../../model/end-signal.ts';
import { decodeLeniently } from '../../model/exchange/decode-leniently.ts';
import { badRequest, ClientError } from '../../wire/edge/client-error.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Incoming } from '../server/client-io.ts';

export interface ClientRequest {
  readonly wire: Wire;
  /** The body as it came. It is dropped when a server of another wire gets the request, because it may be long. */
  readonly source: { bytes: Uint8Array | undefined };
  /** The parsed bytes. `body` differs from them once a part of the request was changed. */
  readonly original: Fields;
  readonly body: Fields;
  /** The body for a server of the same wire. It still has references to items that the server has stored itself. */
  readonly passed: Fields;
  /** The name by which the client calls the model. */
  readonly model: string;
  readonly stream: boolean;
  /** Whether the client wants the usage at the end of a stream. */
  readonly includeUsage: boolean;
  readonly decoded: DecodedRequest;
}

/** The request that a body describes. It is decoded once, when it is first needed. */
export interface DecodedRequest {
  /** Throws `UserError` for a body that is not a request. */
  strict(): ModelRequest;
  /** Returns as much of the request as can be decoded, for servers that validate the request themselves. */
  lenient(): ModelRequest;
}

/** Returns the request in a body. Its `itemKey` makes ids of items unique: clients may refer to an item by its id alone. */
export function decodedOnce(wire: Wire, body: Fields, itemKey: string): DecodedRequest {
  let request: ModelRequest | undefined;
  return {
    // The decoded request has no other reader yet.
    strict: () => (request ??= Object.assign(wire.decodeRequest(body), { itemKey })),
    lenient: () => (request ??= Object.assign(decodeLeniently(wire, body), { itemKey })),
  };
}

export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal: EndSignal;
}

/** Returns the request of a client. Throws `ClientError`. */
export function requestOf(wire: Wire, { bytes, body }: ReadBody, itemKey: string): ClientRequest {
  const { model, stream, includeUsage } = wire.edge.readRequest(body);
  if (typeof model !== 'string' || model === '') throw badRequest('The request names no model.', 'model');
  const decoded = decodedOnce(wire, body, itemKey);
  return { wire, source: { bytes }, original: body, body, passed: body, model, stream, includeUsage, decoded };
}

/** The body of a request, a JSON object. */
export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly body: Fields;
}

/** Reads the body of a request, at once if it is there. Throws `ClientError`. */
export function readBody(incoming: Incoming, { maxBytes, signal }: ReadOptions): ReadBody | Promise<ReadBody> {
  const encoding = incoming.header('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    const said = `The gateway does not read bodies that are encoded as ${encoding}. Send the request as plain JSON.`;
    throw new ClientError(said, { status: 415, code: 'unsupported_encoding' });
  }
  const bytes = incoming.readBody(maxBytes, signal);
  return bytes instanceof Promise ? bytes.then((all) => bodyOf(all, maxBytes)) : bodyOf(bytes, maxBytes);
}

function bodyOf(bytes: Uint8Array | undefined, maxBytes: number): ReadBody {
  if (bytes === undefined) {
    const said = `The body of the request is longer than the ${maxBytes} bytes that this gateway accepts.`;
    throw new ClientError(said, { status: 413, code: 'request_too_large' });
  }
  return { bytes, body: parsed(bytes) };
}

/** Returns the options for encoding an answer in the client's wire. `createdAt` is in seconds since 1970. */
export function encodingFor(
  { wire, original, model, includeUsage }: ClientRequest,
  createdAt: number,
): EncodeStreamOptions {
  return wire.edge.encoding(original, { model, createdAt, includeUsage });
}

function parsed(bytes: Uint8Array): Fields {
  let body: unknown;
  try {
    const text = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    body = JSON.parse(text.toString());
  } catch (error) {
    throw badRequest(`The body of the request is not JSON: ${messageOf(error)}.`);
  }
  if (!isRecord(body)) throw badRequest('The body of the request must be a JSON object.');
  return body;
}
