import { BlockList, isIP } from 'node:net';

type Range = readonly [network: string, prefix: number];

/** Ranges that do not lead to another machine on the internet: this machine, its neighbours, and special purposes. */
const SPECIAL_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Looks public, but serves settings to the machines of a cloud.
  ['168.63.129.16', 32],
];

/** Range of all public addresses. */
const GLOBAL_IPV6: Range = ['2000::', 3];
/** Exceptions in the public range. 6to4 and Teredo contain IPv4 addresses. */
const SPECIAL_IPV6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const specialIpv4 = blockList('ipv4', SPECIAL_IPV4);
const specialIpv6 = blockList('ipv6', SPECIAL_IPV6);
const globalIpv6 = blockList('ipv6', [GLOBAL_IPV6]);

/**
 * Reports whether an address leads to the internet, and to nothing near this machine. False for anything but an
 * address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = unwrapAddress(address);
  const family = isIP(plain);
  if (family === 4) return !specialIpv4.check(plain, 'ipv4');
  return family === 6 && globalIpv6.check(plain, 'ipv6') && !specialIpv6.check(plain, 'ipv6');
}

/** Returns the IPv4 address inside an IPv6 address (mapped, or translated by NAT64), or the address itself. */
export function unwrapAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const groups = groupsOf(new URL(`http://[${address}]/`).hostname.slice(1, -1));
  const head = groups.slice(0, 6).join(':');
  if (head !== '0:0:0:0:0:65535' && head !== '100:65435:0:0:0:0') return address;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** Returns the eight numbers of an IPv6 address in canonical spelling. */
function groupsOf(address: string): number[] {
  const [left = [], right = []] = address
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))));
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function blockList(type: 'ipv4' | 'ipv6', ranges: readonly Range[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, type);
  return list;
}
