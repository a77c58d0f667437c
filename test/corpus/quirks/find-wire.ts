import type { Wire } from '../../../src/wire/edge/wire.ts';
import { loadWires } from '../../../src/wire/registry.ts';

const wires = await loadWires();

/** Returns the wire of a case. */
export function findWire(name: string): Wire {
  const wire = wires.get(name);
  if (wire === undefined) throw new Error(`There is no wire called "${name}".`);
  return wire;
}
