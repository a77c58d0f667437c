import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { FrameKind } from '../edge/edge-wire.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';

export function inspect(frame: Frame): FrameKind {
  const event = frameValue(frame);
  if (!isRecord(event)) return 'other';
  if (typeof event.type !== 'string') return isSet(event.error) ? 'failure' : 'other';
  if (ENDS.has(event.type)) return 'end';
  if (event.type === 'error') return 'failure';
  return isBeginning(event) ? 'other' : 'speaks';
}

/** Returns the number of calls that an event begins. */
export function callsIn(frame: Frame): number {
  const event = frameValue(frame);
  if (!isRecord(event) || event.type !== 'response.output_item.added' || !isRecord(event.item)) return 0;
  const { type, name } = event.item;
  return typeof type === 'string' && type.endsWith('_call') && isSet(name) ? 1 : 0;
}

/** Reports whether the server may still refuse the request after this event. */
export function isBeginning({ type }: Fields): boolean {
  return BEGINNINGS.has(type);
}

const BEGINNINGS: ReadonlySet<unknown> = new Set(['response.created', 'response.in_progress', 'response.queued']);
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
