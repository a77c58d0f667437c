import { UserError } from '../base/errors.ts';
import type { Wire } from '../base/wire.ts';
import { chat } from './chat/chat.ts';
import { responses } from './responses/responses.ts';

export type { Item } from '../base/item.ts';
export type { ModelEvent, ModelRequest } from '../base/model.ts';
export type { Repair } from '../base/repair.ts';
export type {
  Compat,
  EncodeStreamOptions,
  Frame,
  StreamDecoder,
  StreamEncoder,
  StreamRepair,
  Wire,
} from '../base/wire.ts';
export { DEFAULT_COMPAT } from '../base/wire.ts';
export { createFrameReader, type FrameReader } from './frame-reader.ts';
export { REPAIRS } from './repair/catalog.ts';
export { type RepairOptions, repairStream } from './repair/repair-stream.ts';
export { unsentTools } from './unsent-tools.ts';

const WIRES: ReadonlyMap<string, Wire> = new Map([
  ['responses', responses],
  ['chat', chat],
]);

/** The codec of a protocol. Throws `UserError` for a name that has none. */
export function findWire(name: string): Wire {
  const wire = WIRES.get(name);
  if (wire) return wire;
  const names = [...WIRES.keys()].join(', ');
  throw new UserError(`There is no wire called "${name}". Set the provider's wire to one of: ${names}.`);
}
