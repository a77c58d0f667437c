import type { ClientWire } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * The client side of the Responses API. Its items are the canonical ones, so the codec mostly selects fields and frames
 * them.
 */
export const client: ClientWire = {
  name: 'responses',
  path: '/responses',
  framing: sse,
  headers: { 'openai-beta': 'responses=experimental' },
  credential: { name: 'authorization', scheme: 'Bearer' },
  carries: { customTools: true, namespaces: true, localShell: true, hostedTools: true },
  forgetsReasoning: false,
  unsentTools: () => [],
  encodeRequest,
  decodeStream,
  // Matches answers of other protocols too: the repair recognises such an answer and says which setting to change.
  isWholeAnswer: (text) => /"(?:choices|output|content)"\s*:\s*\[/.test(text),
};
