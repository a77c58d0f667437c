import { isIP } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import type { Host } from './canonical-host.ts';
import type { DomainList } from './domain-list.ts';
import { isPublicAddress, unwrapAddress } from './public-address.ts';
import type { Resolve } from './resolve-names.ts';

/** Where a client wants to go. */
export interface NetworkTarget {
  readonly host: Host;
  readonly port: number;
}

export type TargetVerdict =
  /** To be connected to at these addresses: another lookup could give others. */
  | { readonly type: 'open'; readonly addresses: readonly string[] }
  /** Against the rules. `address`: the one that is to blame when the name itself is allowed. */
  | { readonly type: 'refused'; readonly address?: string }
  /** Allowed, but there is no such host. */
  | { readonly type: 'lost'; readonly why: string };

/** Whether a target may be reached, and at which addresses. Only names that are allowed are resolved. */
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
  // One is enough to refuse: an honest public name has none of these.
  const near = addresses.find((address) => !isPublicAddress(address) && !mayBeNear(host, address, port, domains));
  return near === undefined ? { type: 'open', addresses } : { type: 'refused', address: near };
}

/** This machine and its neighbours are reached only by who listed them as such. */
function mayBeNear(host: Host, address: string, port: number, domains: DomainList): boolean {
  return domains.listsAddress(address, port) || (host.text === 'localhost' && isLoopback(address));
}

function isLoopback(address: string): boolean {
  const plain = unwrapAddress(address);
  return isIP(plain) === 4 ? plain.startsWith('127.') : plain === '::1';
}
