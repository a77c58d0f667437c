import type { ToolSpec } from '../../base/tool.ts';
import type { ClientWire } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
import { undeclaredParts } from '../lowering/declared-tools.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Chat Completions as a client speaks it. It knows messages and functions only: items are grouped into the one, tools
 * lowered to the other.
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
  isWholeAnswer: (text) => /"choices"\s*:\s*\[/.test(text),
};

function unsentTools(tools: readonly ToolSpec[]): readonly string[] {
  return [...new Set(tools.flatMap(undeclaredParts))];
}
