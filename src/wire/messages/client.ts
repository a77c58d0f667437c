import { isRecord } from '../../base/json-schema.ts';
import type { ClientWire, ModelListing } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { unsentTools } from './encode-tools.ts';

/** The list of models. It has pages, of which the first can hold all models that there are. */
const listing: ModelListing = {
  path: '/models?limit=1000',
  modelsIn(body) {
    const list = isRecord(body) ? body.data : undefined;
    return Array.isArray(list) ? list.filter(isRecord).map((model) => ({ ...model, id: model.id })) : undefined;
  },
};

/**
 * The client side of the Messages API. The wire has messages made of blocks, and functions: items are grouped into
 * messages, and tools are lowered to functions. Its servers sign their reasoning, and get all of it back.
 */
export const client: ClientWire = {
  name: 'messages',
  path: '/messages',
  framing: sse,
  headers: { 'anthropic-version': '2023-06-01' },
  credential: { name: 'x-api-key' },
  carries: { customTools: false, namespaces: false, localShell: false, hostedTools: true },
  forgetsReasoning: false,
  needsOutputLimit: true,
  listing,
  unsentTools,
  encodeRequest,
  decodeStream,
  // Matches answers of other protocols too: the repair recognises such an answer and says which setting to change.
  isWholeAnswer: (text) => /"(?:choices|output|content)"\s*:\s*\[/.test(text),
};
