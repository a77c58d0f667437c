import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { tellResponse } from './tell-response.ts';

/** A whole response: the object that its stream ends with. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  let body: unknown;
  const told = tellResponse(options, (_, fields) => {
    if (typeof fields !== 'string') body = fields.response ?? body;
  });
  for (const event of events) told.take(event);
  return body;
}
