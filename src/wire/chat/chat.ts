import type { Wire } from '../../base/wire.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeStream } from './encode-stream.ts';

/** Chat Completions. It knows messages and functions only: items are grouped into the one, tools lowered to the other. */
export const chat: Wire = {
  name: 'chat',
  path: '/chat/completions',
  encodeRequest,
  decodeRequest,
  decodeStream,
  encodeStream,
};
