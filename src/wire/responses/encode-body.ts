import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** A whole response: the object that its stream ends with. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  let body: unknown;
  const writer = createResponseWriter(options, (_, fields) => {
    if (typeof fields !== 'string') body = fields.response ?? body;
  });
  for (const event of events) writer.write(event);
  return body;
}
