import { BlockList, isIP } from 'node:net';
import { canonicalHost, type Host } from './canonical-host.ts';
import { unwrapAddress } from './public-address.ts';

/** The entries of `allowed_domains`. */
export interface DomainList {
  /** Reports whether a host may be asked for at all. */
  allows(host: Host, port: number): boolean;
  /** Reports whether an entry lists a private address itself. Only then may a name lead to the address. */
  listsAddress(address: string, port: number): boolean;
  /** Entries that cannot be parsed, and so allow nothing. */
  readonly invalid: readonly string[];
}

type Rule =
  | { readonly type: 'name' | 'below'; readonly text: string; readonly port: number | undefined }
  | { readonly type: 'range'; readonly range: BlockList; readonly port: number | undefined };

/**
 * Parses entries such as `example.org`, `*.example.org` (every name below, at any depth), `example.org:8443`,
 * `10.0.0.7` and `10.0.0.0/8`. An entry without a port means all ports. An entry that begins with `!` denies, whatever
 * the others allow.
 */
export function createDomainList(entries: readonly string[]): DomainList {
  const read = entries.map((entry) => {
    const text = entry.trim();
    const denies = text.startsWith('!');
    return { entry, denies, rule: readEntry(denies ? text.slice(1) : text) };
  });
  const rulesFor = (port: number, denying = false) =>
    read
      .filter(({ denies }) => denies === denying)
      .flatMap(({ rule }) => rule ?? [])
      .filter((rule) => rule.port === undefined || rule.port === port);
  return {
    invalid: read.filter(({ rule }) => rule === undefined).map(({ entry }) => entry),
    allows: (host, port) =>
      rulesFor(port).some((rule) => matches(rule, host)) && !rulesFor(port, true).some((rule) => matches(rule, host)),
    listsAddress: (address, port) =>
      rulesFor(port).some((rule) => rule.type === 'range' && contains(rule.range, address)),
  };
}

function readEntry(entry: string): Rule | undefined {
  const range = readRange(entry);
  if (range !== undefined) return { type: 'range', range, port: undefined };
  const [, written = '', digits] = /^(.*?)(?::(\d{1,5}))?$/s.exec(entry) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const below = written.startsWith('*.');
  const host = canonicalHost(below ? written.slice(2) : written);
  if (host === undefined || host.text.includes('*')) return undefined;
  if (host.kind === 'name') return { type: below ? 'below' : 'name', text: host.text, port };
  return below ? undefined : { type: 'range', range: singleAddress(host.text), port };
}

/** Parses a range such as `10.0.0.0/8`, or an IPv6 address without brackets, whose last part is not a port. */
function readRange(entry: string): BlockList | undefined {
  if (isIP(entry) === 6) return singleAddress(entry);
  const [, network = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(network);
  const prefix = Number(digits);
  // A prefix of 0 would allow the whole internet.
  if (family === 0 || prefix < 1 || prefix > (family === 4 ? 32 : 128)) return undefined;
  const range = new BlockList();
  range.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return range;
}

function singleAddress(address: string): BlockList {
  const range = new BlockList();
  const plain = unwrapAddress(address);
  range.addAddress(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
  return range;
}

function contains(range: BlockList, address: string): boolean {
  const plain = unwrapAddress(address);
  const family = isIP(plain);
  return family !== 0 && range.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function matches(rule: Rule, host: Host): boolean {
  if (rule.type === 'range') return host.kind === 'address' && contains(rule.range, host.text);
  if (host.kind !== 'name') return false;
  return rule.type === 'name' ? host.text === rule.text : host.text.endsWith(`.${rule.text}`);
}
