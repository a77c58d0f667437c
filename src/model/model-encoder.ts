import { ModelError, messageOf } from '../base/errors.ts';
import type { Item } from '../base/item.ts';
import type { ModelRequest } from '../base/model.ts';
import type { ModelEntry } from '../base/model-entry.ts';
import type { ClientWire, Compat } from '../base/wire.ts';
import { type BodyEncoder, createBodyEncoder } from './exchange/body-encoder.ts';
import { type EncodedRequest, encodeText, type FindAdapt } from './exchange/encoded-request.ts';
import type { RequestEncoder } from './exchange/request-form.ts';
import { withModelLimits } from './model-limits.ts';

/** Encodes the requests of one model, and remembers what later requests need of earlier ones. */
export interface ModelEncoder {
  /** Returns the encoder of a request. Reasoning that the server has refused once is not sent to it again. */
  encoderFor(request: ModelRequest, wire: ClientWire, adapt: FindAdapt): RequestEncoder;
  /** Drops the bytes of earlier requests. */
  rest(): void;
}

/** A function that returns the user's facts about a model. */
export type OwnFacts = (model: string) => ModelEntry | undefined;

export function createModelEncoder(ownFacts: OwnFacts = () => undefined): ModelEncoder {
  let encodeBody = createBodyEncoder();
  /** Reasoning of other servers that this server has refused. */
  const unreadable = new Set<Item>();
  return {
    encoderFor(asked, wire, adapt) {
      const request = withModelLimits(asked, wire, ownFacts(asked.model));
      let readable = withoutItems(request, unreadable);
      return {
        encode: (compat) => encodeRequest(readable, { wire, compat, adapt, encodeBody: (text) => encodeBody(text) }),
        dropSealed() {
          const reasoning = readable.input.filter(({ type }) => type === 'reasoning');
          for (const item of reasoning) unreadable.add(item);
          readable = withoutItems(request, unreadable);
          return reasoning.length;
        },
      };
    },
    rest() {
      encodeBody = createBodyEncoder();
    },
  };
}

/** Encodes a request. Throws `ModelError` when the wire cannot carry it. */
async function encodeRequest(
  request: ModelRequest,
  options: { wire: ClientWire; compat: Compat; adapt: FindAdapt; encodeBody: BodyEncoder },
): Promise<EncodedRequest> {
  const { wire, compat } = options;
  let text: ReturnType<ClientWire['encodeRequest']>;
  try {
    text = wire.encodeRequest(request, compat);
  } catch (error) {
    throw new ModelError('bad_request', messageOf(error), { cause: error });
  }
  return encodeText(text, options);
}

function withoutItems(request: ModelRequest, unwanted: ReadonlySet<Item>): ModelRequest {
  if (unwanted.size === 0) return request;
  return { ...request, input: request.input.filter((item) => !unwanted.has(item)) };
}
