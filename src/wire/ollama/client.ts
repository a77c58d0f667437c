import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { ClientWire, ModelListing } from '../../base/wire.ts';
import { ndjson } from '../framing/ndjson.ts';
import { undeclaredParts } from '../lowering/declared-tools.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/** The list of models, whose ids are their names. */
const listing: ModelListing = {
  path: '/tags',
  modelsIn(body) {
    const list = isRecord(body) ? body.models : undefined;
    if (!Array.isArray(list)) return undefined;
    return list.filter(isRecord).map((model) => ({ ...model, id: model.model ?? model.name }));
  },
};

/**
 * The client side of Ollama's own protocol. Like chat, the wire has only messages and functions. Arguments of calls are
 * objects, calls come whole, and a response has no id.
 */
export const client: ClientWire = {
  name: 'ollama',
  path: '/chat',
  framing: ndjson,
  headers: {},
  credential: { name: 'authorization', scheme: 'Bearer' },
  carries: { customTools: false, namespaces: false, localShell: false, hostedTools: false },
  forgetsReasoning: true,
  // Servers load most models for far less, and recommend this for coding.
  usualWindow: 64_000,
  listing,
  unsentTools,
  encodeRequest,
  decodeStream,
  isWholeAnswer: (text) => /"done"\s*:\s*true/.test(text),
};

function unsentTools(tools: readonly ToolSpec[]): readonly string[] {
  return [...new Set(tools.flatMap(undeclaredParts))];
}
