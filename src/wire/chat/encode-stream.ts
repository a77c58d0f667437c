import type { EncodeStreamOptions, StreamEncoder } from '../../base/wire.ts';
import { END_MARK } from './end-mark.ts';
import { createResponseChunks } from './response-chunks.ts';

/** Returns an encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  const chunks = createResponseChunks(options);
  return {
    push: (event) => chunks.push(event).map((chunk) => ({ data: chunk === END_MARK ? chunk : JSON.stringify(chunk) })),
  };
}
