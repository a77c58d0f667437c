import type { ToolSpec } from '../../base/tool.ts';
import type { ClientWire } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
import { undeclaredParts } from '../lowering/declared-tools.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * The client side of Chat Completions. The wire has only messages and functions: items are grouped into messages, and
 * tools are lowered to functions.
 */
export const client: ClientWire = {
  name: 'chat',
  path: '/chat/completions',
  framing: sse,
  headers: {},
  credential: { name: 'authorization', scheme: 'Bearer' },
  carries: { customTools: false, namespaces: false, localShell: false, hostedTools: false },
  forgetsReasoning: true,
  unsentTools,
  encodeRequest,
  decodeStream,
  // Matches answers of other protocols too: the repair recognises such an answer and says which setting to change.
  isWholeAnswer: (text) => /"(?:choices|output|content)"\s*:\s*\[/.test(text),
};

function unsentTools(tools: readonly ToolSpec[]): readonly string[] {
  return [...new Set(tools.flatMap(undeclaredParts))];
}
