import { UserError } from '../base/errors.ts';
import type { ClientWire, WireName } from '../base/wire.ts';
import type { Wire } from './edge/wire.ts';
import * as responses from './responses/client.ts';

/** A wire in its own folder, loaded on first use. */
interface WireEntry {
  /** Path below the base URL of a provider, as in `ClientWire`. Known without loading the wire. */
  readonly path: string;
  /** Loads the half that an agent needs. */
  readonly loadClient: () => Promise<{ readonly client: ClientWire }>;
  readonly load: () => Promise<{ readonly wire: Wire }>;
}

/** The wires by name, in the order in which they are tried with a server that may speak any of them. */
const WIRES = {
  // Imported statically, because it is tried first.
  responses: { path: '/responses', loadClient: async () => responses, load: () => import('./responses/wire.ts') },
  chat: {
    path: '/chat/completions',
    loadClient: () => import('./chat/client.ts'),
    load: () => import('./chat/wire.ts'),
  },
  messages: {
    path: '/messages',
    loadClient: () => import('./messages/client.ts'),
    load: () => import('./messages/wire.ts'),
  },
} satisfies Record<WireName, WireEntry>;

const entries: ReadonlyMap<WireName, WireEntry> = new Map(Object.entries(WIRES));

/** Names of all wires, in the order in which they are tried. */
export const WIRE_NAMES: readonly WireName[] = [...entries.keys()];

/** Paths of all wires below the base URL of a provider. */
export const WIRE_PATHS: readonly string[] = Array.from(entries.values(), ({ path }) => path);

/** Returns the wires of a provider, in the order in which they are tried. With `auto`, `preferred` comes first. */
export function wiresToTry(wire: 'auto' | WireName, preferred?: WireName): readonly [WireName, ...WireName[]] {
  if (wire !== 'auto') return [wire];
  const [standard = '', ...others] = WIRE_NAMES;
  if (preferred === undefined || !entries.has(preferred)) return [standard, ...others];
  return [preferred, ...WIRE_NAMES.filter((name) => name !== preferred)];
}

/** Loads the client half of a wire. Throws `UserError` for an unknown name. */
export async function loadClientWire(name: WireName): Promise<ClientWire> {
  return (await entryOf(name).loadClient()).client;
}

/** Loads a wire. Throws `UserError` for an unknown name. */
export async function loadWire(name: WireName): Promise<Wire> {
  return (await entryOf(name).load()).wire;
}

/** All wires by name, in the order of `WIRE_NAMES`. */
export type Wires = ReadonlyMap<WireName, Wire>;

export async function loadWires(): Promise<Wires> {
  const wires = await Promise.all(WIRE_NAMES.map(loadWire));
  return new Map(wires.map((wire) => [wire.name, wire]));
}

function entryOf(name: WireName): WireEntry {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  throw new UserError('invalid_config', `There is no wire called "${name}". There are: ${WIRE_NAMES.join(', ')}.`);
}
