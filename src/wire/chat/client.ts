import type { ClientWire } from '../../base/wire.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Chat Completions as a client speaks it. It knows messages and functions only: items are grouped into the one, tools
 * lowered to the other.
 */
export const client: ClientWire = { name: 'chat', path: '/chat/completions', encodeRequest, decodeStream };
