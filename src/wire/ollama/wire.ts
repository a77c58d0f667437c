import type { Wire } from '../edge/wire.ts';
import { client } from './client.ts';
import { decodeRequest } from './decode-request.ts';
import { edge } from './edge.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';
import { generate } from './generate.ts';

/** Ollama's own protocol. */
export const wire: Wire = { ...client, decodeRequest, encodeStream, encodeBody, edge, forms: [generate] };
