import type { restoreNames } from '../../adapt/adapt-frames.ts';
import type { adaptRequest } from '../../adapt/adapt-request.ts';
import type { Rename } from '../../adapt/adapt-rules.ts';
import type { learn } from '../../adapt/learn.ts';
import { needsAdapting } from '../../adapt/needs-adapting.ts';
import { type RequestText, wholeText } from '../../base/request-text.ts';
import type { Compat } from '../../base/wire.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { bodyPieces, type SendOptions } from '../http.ts';

type RequestBytes = SendOptions['body'];

/** A request in the form in which it is sent. */
export interface EncodedRequest {
  readonly body: RequestBytes;
  /** Returns the parsed body. */
  sent(): Fields;
  /** The ids of the adaptations in the request. */
  readonly changes: readonly string[];
  /** Returns the tool's own name for a name that was sent; undefined where all tools have kept their names. */
  readonly restoreName: Rename | undefined;
}

/** The code that adapts requests of a wire to servers that refuse them. */
export interface Adapt {
  readonly wire: Wire;
  readonly adaptRequest: typeof adaptRequest;
  readonly restoreNames: typeof restoreNames;
  readonly learn: typeof learn;
}

/**
 * Function that returns `Adapt` for servers of one wire, at once or when it is loaded; undefined where requests are
 * never changed.
 */
export type FindAdapt = () => Promise<Adapt | undefined> | Adapt | undefined;

/** Returns a request that a wire has encoded, at once unless it must be adapted to the server. */
export function encodeText(text: RequestText, options: EncodeOptions): EncodedRequest | Promise<EncodedRequest> {
  return needsAdapting(options.compat) ? adapted(text, options) : unchanged(options.encodeBody(text));
}

async function adapted(text: RequestText, { compat, adapt, encodeBody }: EncodeOptions): Promise<EncodedRequest> {
  const adapting = await adapt();
  if (adapting === undefined) return unchanged(encodeBody(text));
  return encodeFields(JSON.parse(wholeText(text)), compat, adapting, () => encodeBody(text));
}

/** Returns a request as it was encoded. This is a function of its own so that `sent` does not keep the text alive. */
function unchanged(body: RequestBytes): EncodedRequest {
  return { body, sent: () => JSON.parse(textOf(body)), changes: NO_CHANGES, restoreName: undefined };
}

export interface EncodeOptions {
  readonly compat: Compat;
  readonly adapt: FindAdapt;
  readonly encodeBody: (text: RequestText) => RequestBytes;
}

/** Returns a body adapted to the server. Where nothing had to be changed, `bytes` are sent. */
export function encodeFields(fields: Fields, compat: Compat, adapt: Adapt, bytes: () => RequestBytes): EncodedRequest {
  const { body, changes, restoreName } = adapt.adaptRequest(adapt.wire.edge.adapt, fields, compat);
  return {
    body: body === fields ? bytes() : Buffer.from(JSON.stringify(body)),
    sent: () => body,
    changes: changes.length === 0 ? NO_CHANGES : changes.map(({ id }) => id),
    restoreName: changes.some(({ id }) => id === 'G12') ? restoreName : undefined,
  };
}

const NO_CHANGES: readonly string[] = [];

function textOf(body: RequestBytes): string {
  return Buffer.concat(bodyPieces(body)).toString();
}
