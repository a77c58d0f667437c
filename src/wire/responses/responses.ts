import type { Wire } from '../../base/wire.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeStream } from './encode-stream.ts';

/** The Responses API. Its items are the canonical ones, so this codec mostly picks and frames. */
export const responses: Wire = {
  name: 'responses',
  path: '/responses',
  encodeRequest,
  decodeRequest,
  decodeStream,
  encodeStream,
};
