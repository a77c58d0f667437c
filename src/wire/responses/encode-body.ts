import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** Encodes a whole response: the object at the end of its stream. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  let body: unknown;
  const writer = createResponseWriter(options, (_, _fields, response) => {
    if (response !== undefined) body = response();
  });
  for (const event of events) writer.write(event);
  return body;
}
