import { restoreNames } from '../../adapt/adapt-frames.ts';
import { adaptRequest } from '../../adapt/adapt-request.ts';
import { learn } from '../../adapt/learn.ts';
import type { ModelRequest } from '../../base/model.ts';
import { type RequestText, wholeText } from '../../base/request-text.ts';
import type { Compat } from '../../base/wire.ts';
import { type Adapt, type EncodedRequest, encodeFields, encodeText } from '../../model/exchange/encoded-request.ts';
import type { RequestEncoder } from '../../model/exchange/request-form.ts';
import { withModelLimits } from '../../model/model-limits.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { Target } from '../target.ts';
import { assertExpanded } from './expand-references.ts';
import type { ClientRequest } from './read-request.ts';

/** Returns the code that adapts requests to servers of a wire. */
export function adaptFor(wire: Wire): Adapt {
  return { wire, adaptRequest, restoreNames, learn };
}

/**
 * Returns the encoder of a client's request for the server of its target. The encoder throws `UserError` or
 * `ClientError` when the server's wire cannot carry the request.
 */
export function createEncoder(asked: ClientRequest, wire: Wire, target: Target): RequestEncoder {
  const { original, source, stream } = asked;
  const { model } = target;
  if (asked.wire !== wire) {
    source.bytes = undefined;
    return translatingEncoder(asked, (compat) => translated(asked, wire, target, compat));
  }
  let { passed: body } = asked;
  return {
    encode(compat) {
      const edited = wire.edge.editRequest(body, { model, stream, compat });
      return encodeFields(
        edited,
        compat,
        adaptFor(wire),
        () => addedBytes(source.bytes, original, edited) ?? Buffer.from(JSON.stringify(edited)),
      );
    },
    dropSealed() {
      const unsealed = wire.edge.withoutSealed(body);
      const isSame = unsealed === body;
      body = unsealed;
      return isSame ? 0 : 1;
    },
  };
}

/** Returns the encoder of a request for another wire. Reasoning that its server refuses is left out from then on. */
function translatingEncoder({ decoded }: ClientRequest, encode: RequestEncoder['encode']): RequestEncoder {
  let isSealed = true;
  return {
    encode: (compat) => encode(isSealed ? compat : { ...compat, sendReasoning: 'none' }),
    dropSealed() {
      const sealed = isSealed ? decoded.strict().input.filter(({ type }) => type === 'reasoning') : [];
      isSealed = false;
      return sealed.length;
    },
  };
}

/** Encodes the request for another wire. */
function translated(
  asked: ClientRequest,
  wire: Wire,
  { model, facts }: Target,
  compat: Compat,
): ReturnType<RequestEncoder['encode']> {
  assertExpanded(asked);
  asked.wire.edge.assertPortable?.(asked.body);
  const request = withModelLimits({ ...asked.decoded.strict(), model }, wire, facts);
  const unsent = wire.unsentTools(request.tools);
  if (unsent.length > 0) assertNotDemanded(unsent, request, wire);
  const text = wire.encodeRequest(request, compat);
  const encoded = encodeText(text, { compat, adapt: () => adaptFor(wire), encodeBody: bytesOf });
  return unsent.length === 0 ? encoded : withUnsent(encoded);
}

/** Returns a request in which tools are missing, because the wire of the server has no form for them (H6). */
async function withUnsent(request: ReturnType<RequestEncoder['encode']>): Promise<EncodedRequest> {
  const encoded = await request;
  return { ...encoded, changes: ['H6', ...encoded.changes] };
}

/**
 * Throws `ClientError` if a request demands a call, and the server gets none of its tools. The model would act as if it
 * had made the call, and invent its result.
 */
function assertNotDemanded(unsent: readonly string[], { tools, toolChoice }: ModelRequest, wire: Wire): void {
  const isFree = toolChoice === 'auto' || toolChoice === 'none';
  if (isFree || tools.some((tool) => wire.unsentTools([tool]).length === 0)) return;
  const said = `The server of this model has no ${unsent.join(' and no ')}, and the request demands it.`;
  throw new ClientError(said, { status: 400, code: 'unsupported_tool', param: 'tool_choice' });
}

/** Returns a text as bytes. The parts of a long text are not joined before. */
function bytesOf(text: RequestText): Uint8Array {
  const { head, entries, rest } = text;
  let chars = head.length + rest.length;
  for (const entry of entries) chars += entry.length;
  if (chars < MAX_JOINED_CHARS) return Buffer.from(wholeText(text));
  const parts = [head];
  for (const entry of entries) {
    if (parts.length > 1) parts.push(',');
    parts.push(entry);
  }
  parts.push(rest);
  const bytes = Buffer.allocUnsafe(parts.reduce((size, part) => size + Buffer.byteLength(part), 0));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end);
  return bytes;
}

const MAX_JOINED_CHARS = 16 * 1024;

/**
 * Returns the bytes of the original with the added fields, if any. Returns undefined when the bytes were dropped, or a
 * field was changed or removed.
 */
function addedBytes(bytes: Uint8Array | undefined, original: Fields, edited: Fields): Uint8Array | undefined {
  if (bytes === undefined || edited === original) return bytes;
  const names = Object.keys(original);
  let count = 0;
  let added = '';
  for (const name in edited) {
    const value = edited[name];
    if (count >= names.length) added += value === undefined ? '' : `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
    else if (names[count] !== name || original[name] !== value) return undefined;
    count++;
  }
  if (names.length === 0 || count < names.length) return undefined;
  return Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(CLOSING_BRACE)), Buffer.from(`${added}}`)]);
}

const CLOSING_BRACE = 0x7d;
