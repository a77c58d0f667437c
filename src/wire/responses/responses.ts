import type { Wire } from '../../base/wire.ts';
import { responsesClient } from './client.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';

/** The Responses API. */
export const responses: Wire = { ...responsesClient, decodeRequest, encodeStream, encodeBody };
