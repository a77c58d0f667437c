import { UserError } from '../base/errors.ts';
import type { ModelRequest } from '../base/model.ts';
import { wholeText } from '../base/request-text.ts';
import type { Compat } from '../base/wire.ts';
import { adaptRequest } from '../wire/adapt/adapt-request.ts';
import type { Rename } from '../wire/adapt/adapt-rules.ts';
import { needsAdapting } from '../wire/adapt/needs-adapting.ts';
import type { Fields } from '../wire/request-fields.ts';
import type { Wire } from '../wire/wire.ts';
import { assertExpanded } from './expand-previous.ts';
import type { AskedRequest } from './read-request.ts';

/** A request as the server gets it. */
export interface PreparedRequest {
  readonly bytes: Uint8Array;
  /** The parsed body of it. */
  readonly sent: () => Fields;
  /** The ids of what was changed in it. */
  readonly changes: readonly string[];
  /** Where tools were sent under other names: those of the request by the names that were sent. */
  readonly restoreName: Rename | undefined;
}

export interface PrepareOptions {
  readonly asked: AskedRequest;
  /** The request, decoded when it is first needed. */
  readonly request: () => ModelRequest;
  readonly wire: Wire;
  readonly model: string;
  readonly compat: Compat;
}

/** A client's request for a server. Throws `UserError` or `ClientError` when the server's wire cannot carry it. */
export function prepareRequest(options: PrepareOptions): PreparedRequest {
  const { asked, wire, model, compat } = options;
  if (asked.wire === wire) return prepareSame(options);
  assertExpanded(asked);
  const request = { ...options.request(), model };
  const text = wholeText(wire.encodeRequest(request, compat));
  // H6: tools that have no place on the wire of the server.
  const changes = wire.unsentTools(request.tools).length > 0 ? ['H6'] : NO_CHANGES;
  if (!needsAdapting(compat)) {
    return { bytes: Buffer.from(text), sent: () => JSON.parse(text), changes, restoreName: undefined };
  }
  const adapted = prepared(wire, JSON.parse(text), compat, () => Buffer.from(text));
  return { ...adapted, changes: [...changes, ...adapted.changes] };
}

function prepareSame({ asked, wire, model, compat }: PrepareOptions): PreparedRequest {
  const { original, body, stream } = asked;
  const edited = wire.edge.editRequest(body, { model, stream, compat });
  return prepared(wire, edited, compat, () => addedBytes(asked.bytes, original, edited) ?? textBytes(edited));
}

function prepared(wire: Wire, body: Fields, compat: Compat, bytes: () => Uint8Array): PreparedRequest {
  const adapted = adaptRequest(wire.edge.adapt, body, compat);
  return {
    bytes: adapted.body === body ? bytes() : textBytes(adapted.body),
    sent: () => adapted.body,
    changes: adapted.changes.map(({ id }) => id),
    restoreName: adapted.changes.some(({ id }) => id === 'G12') ? adapted.restoreName : undefined,
  };
}

const NO_CHANGES: readonly string[] = [];

/** Returns the bytes of an original to which fields were added, or none, as is true of most; undefined where it was changed otherwise. */
function addedBytes(bytes: Uint8Array, original: Fields, edited: Fields): Uint8Array | undefined {
  if (edited === original) return bytes;
  const names = Object.keys(original);
  const editedNames = Object.keys(edited);
  if (names.length === 0 || names.some((name, at) => editedNames[at] !== name || edited[name] !== original[name])) {
    return undefined;
  }
  const added = Object.fromEntries(editedNames.slice(names.length).map((name) => [name, edited[name]]));
  const text = JSON.stringify(added);
  return Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(CLOSING_BRACE)), Buffer.from(`,${text.slice(1)}`)]);
}

const CLOSING_BRACE = 0x7d;

function textBytes(body: Fields): Uint8Array {
  return Buffer.from(JSON.stringify(body));
}

/**
 * What a body asks for, as far as it can be told. For those who must know something of a request and do not judge it:
 * the server of the same wire does.
 */
export function understoodRequest(wire: Wire, body: Fields): ModelRequest {
  try {
    return wire.decodeRequest(body);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...UNKNOWN, model: String(body.model) };
  }
}

const UNKNOWN: Omit<ModelRequest, 'model'> = {
  instructions: '',
  input: [],
  tools: [],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};
