import type { Wire } from '../../base/wire.ts';
import { chatClient } from './client.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeBody } from './encode-body.ts';
import { encodeStream } from './encode-stream.ts';

/** Chat Completions. */
export const chat: Wire = { ...chatClient, decodeRequest, encodeStream, encodeBody };
