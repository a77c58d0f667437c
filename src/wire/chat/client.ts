import type { ClientWire } from '../../base/wire.ts';
import { sse } from '../framing/sse.ts';
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
  encodeRequest,
  decodeStream,
};
