import type { ClientWire } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/** The Responses API as a client speaks it. Its items are the canonical ones, so this codec mostly picks and frames. */
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
  // Also an answer of the chat wire: the repair recognises it and says what to set.
  isWholeAnswer: (text) => /"(?:choices|output)"\s*:\s*\[/.test(text),
};
