import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** Encodes a whole response: the object at the end of its stream. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  let body: unknown;
  const writer = createResponseWriter(options, (_, fields) => {
    if (typeof fields !== 'string') body = fields.response ?? body;
  });
  for (const event of events) writer.write(event);
  return body;
}
