import { UserError } from '../base/errors.ts';
import type { Wire } from '../base/wire.ts';

export type { Item } from '../base/item.ts';
export type { ModelEvent, ModelRequest } from '../base/model.ts';
export type { Compat, EncodeStreamOptions, Frame, StreamDecoder, StreamEncoder, Wire } from '../base/wire.ts';
export { DEFAULT_COMPAT } from '../base/wire.ts';

const WIRES: ReadonlyMap<string, () => Promise<Wire>> = new Map([
  ['responses', async () => (await import('./responses/responses.ts')).responses],
]);

/** The codec of a protocol, loaded when it is first asked for. Throws `UserError` for a name that has none. */
export async function loadWire(name: Wire['name']): Promise<Wire> {
  const load = WIRES.get(name);
  if (load === undefined) {
    throw new UserError(`There is no wire called "${name}". Set the provider's wire to one of: ${names()}.`);
  }
  return load();
}

const names = () => [...WIRES.keys()].join(', ');
