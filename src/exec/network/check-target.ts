import { isIP } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import type { Host } from './canonical-host.ts';
import type { DomainList } from './domain-list.ts';
import { isPublicAddress, unwrapAddress } from './public-address.ts';
import type { Resolve } from './resolve-names.ts';

/** Host and port that a client wants to reach. */
export interface NetworkTarget {
  readonly host: Host;
  readonly port: number;
}

export type TargetVerdict =
  /** Allowed. The connection must use these addresses, since another lookup could return others. */
  | { readonly type: 'open'; readonly addresses: readonly string[] }
  /** Against the rules. `address` is the forbidden one when the name itself is allowed. */
  | { readonly type: 'refused'; readonly address?: string }
  /** Allowed, but the host does not exist. */
  | { readonly type: 'lost'; readonly why: string };

/** Decides whether a target may be reached, and at which addresses. Resolves only names that are allowed. */
export async function checkTarget(
  target: NetworkTarget,
  domains: DomainList,
  resolve: Resolve,
): Promise<TargetVerdict> {
  const { host, port } = target;
  if (!domains.allows(host, port)) return { type: 'refused' };
  if (host.kind === 'address') return { type: 'open', addresses: [host.text] };
  let addresses: readonly string[];
  try {
    addresses = await resolve(host.text);
  } catch (error) {
    return { type: 'lost', why: messageOf(error) };
  }
  if (addresses.length === 0) return { type: 'lost', why: 'it has no address' };
  // One private address is enough to refuse: an honest public name has none.
  const near = addresses.find((address) => !isPublicAddress(address) && !mayBeNear(host, address, port, domains));
  return near === undefined ? { type: 'open', addresses } : { type: 'refused', address: near };
}

/**
 * Reports whether a private address may be reached: the list has the address itself, or the host is localhost.
 */
function mayBeNear(host: Host, address: string, port: number, domains: DomainList): boolean {
  return domains.listsAddress(address, port) || (host.text === 'localhost' && isLoopback(address));
}

function isLoopback(address: string): boolean {
  const plain = unwrapAddress(address);
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1';
}
