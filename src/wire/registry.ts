import { UserError } from '../base/errors.ts';
import type { Provider } from '../base/provider.ts';
import type { ClientWire, WireName } from '../base/wire.ts';
import type { Wire } from './edge/wire.ts';
import * as responses from './responses/client.ts';

/** A wire in its own folder, loaded on first use. */
interface WireEntry {
  /** Path below the base URL of a provider, as in `ClientWire`. Known without loading the wire. */
  readonly path: string;
  /**
   * Path at the end of the base URLs that the wire stands below. A server there that may speak any wire is asked over
   * this one first, and other servers are not asked over it.
   */
  readonly basePath?: string;
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
  ollama: {
    path: '/chat',
    basePath: '/api',
    loadClient: () => import('./ollama/client.ts'),
    load: () => import('./ollama/wire.ts'),
  },
} satisfies Record<WireName, WireEntry>;

const STANDARD_BASE = '/v1';

const entries: ReadonlyMap<WireName, WireEntry> = new Map(Object.entries(WIRES));

/** Names of all wires, in the order in which they are tried. */
export const WIRE_NAMES: readonly WireName[] = [...entries.keys()];

/** Paths of all wires below the base URL of a provider. */
export const WIRE_PATHS: readonly string[] = Array.from(entries.values(), ({ path }) => path);

/** Paths at the end of base URLs, the most usual one first. */
export const BASE_PATHS: readonly string[] = [...new Set(WIRE_NAMES.map(basePathOf))];

/** Returns the path at the end of the base URLs of servers that speak a wire. */
export function basePathOf(wire: 'auto' | WireName): string {
  return entries.get(wire)?.basePath ?? STANDARD_BASE;
}

/** The wires that a server may speak, by its address. The others are tried only if none of the likely ones is there. */
export interface WiresAt {
  readonly likely: readonly WireName[];
  readonly others: readonly WireName[];
}

/** Returns the wires that a server at an address may speak. An address may name a wire by its last part. */
export function wiresAt(baseUrl: string): WiresAt {
  const path = new URL(baseUrl).pathname.replace(/\/+$/, '');
  const anywhere = WIRE_NAMES.filter((name) => entries.get(name)?.basePath === undefined);
  const own = WIRE_NAMES.filter((name) => !anywhere.includes(name) && path.endsWith(basePathOf(name)));
  return own.length > 0 ? { likely: own, others: anywhere } : { likely: anywhere, others: [] };
}

/**
 * Returns the wires of a provider, in the order in which they are tried. With `auto`, `preferred` comes before others that
 * are as likely.
 */
export function wiresToTry(
  { wire, baseUrl }: Pick<Provider, 'wire' | 'baseUrl'>,
  preferred?: WireName,
): readonly [WireName, ...WireName[]] {
  if (wire !== 'auto') return [wire];
  const { likely, others } = wiresAt(baseUrl);
  const [first = '', ...rest] = [likely, others].flatMap((names) => [
    ...names.filter((name) => name === preferred),
    ...names.filter((name) => name !== preferred),
  ]);
  return [first, ...rest];
}

/** Returns an address without the path of a wire, which people copy along. */
export function withoutWirePath(address: string): string {
  const { pathname } = new URL(address);
  const found = [...entries.values()].find(
    ({ basePath = '', path }) => pathname.endsWith(basePath + path) && address.endsWith(path),
  );
  return found === undefined ? address : address.slice(0, -found.path.length);
}

/** Loads the client half of a wire. Throws `UserError` for an unknown name. */
export async function loadClientWire(name: WireName): Promise<ClientWire> {
  return (await entryOf(name).loadClient()).client;
}

/** Loads the client halves of the wires that a provider's server may speak, in the order in which they are tried. */
export async function loadWiresToTry(
  provider: Pick<Provider, 'wire' | 'baseUrl'>,
  preferred?: WireName,
): Promise<readonly [ClientWire, ...ClientWire[]]> {
  const [first, ...others] = wiresToTry(provider, preferred);
  return [await loadClientWire(first), ...(await Promise.all(others.map(loadClientWire)))];
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
