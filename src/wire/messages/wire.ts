import type { Wire } from '../edge/wire.ts';
import { client } from './client.ts';
import { decodeRequest } from './decode-request.ts';
import { edge } from './edge.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';

/** The Messages API. */
export const wire: Wire = { ...client, decodeRequest, encodeStream, encodeBody, edge };
