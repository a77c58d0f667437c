import { isLoopback } from './loopback.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** A proxy that a variable names. */
export interface FoundProxy {
  readonly variable: string;
  /** Value of the variable, perhaps with a password. */
  readonly address: string;
}

/**
 * Returns the proxy through which the environment wants an address to be reached; undefined if it is reached directly. A
 * variable in lower case counts before the same one in upper case. This machine is always reached directly.
 */
export function findProxy(url: URL, env: Env): FoundProxy | undefined {
  const own = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = [own, own.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((name) => variableOf(env, name) !== '');
  if (variable === undefined || isLoopback(url.hostname)) return undefined;
  if (isExcepted(url, variableOf(env, 'no_proxy') || variableOf(env, 'NO_PROXY'))) return undefined;
  return { variable, address: variableOf(env, variable) };
}

function variableOf(env: Env, name: string): string {
  return env[name]?.trim() ?? '';
}

/** Reports whether a list such as `example.org,.example.com:8443,10.0.0.0/8,*` contains the host of an address. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

/** An entry: a name, or an IPv6 address in brackets, and perhaps a port. */
const WITH_PORT = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/;

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(host, entry);
  const [, address, text = address ?? entry, only = port] = WITH_PORT.exec(entry) ?? [];
  if (only !== port) return false;
  const name = text.replace(/^\*?\./, '');
  return name !== '' && (host === name || (bitsOf(host) === undefined && host.endsWith(`.${name}`)));
}

/** Reports whether a host is an address in a range such as `10.0.0.0/8`. Names are not looked up. */
function isInRange(host: string, range: string): boolean {
  const [start = '', bits = ''] = range.split('/');
  const [address, first] = [bitsOf(host), bitsOf(start)];
  if (address === undefined || address.length !== first?.length) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > address.length) return false;
  return address.startsWith(first.slice(0, Number(bits)));
}

const V4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Returns an address as a text of zeros and ones; undefined for a name. */
function bitsOf(host: string): string | undefined {
  if (V4.test(host)) return inBits(host.split('.').map(Number), 8);
  if (!host.includes(':') || !URL.canParse(`http://[${host}]`)) return undefined;
  const [left = '', right] = new URL(`http://[${host}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [wordsOf(left), wordsOf(right ?? '')];
  return inBits([...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after], 16);
}

function wordsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}

function inBits(numbers: readonly number[], width: number): string {
  return numbers.map((number) => number.toString(2).padStart(width, '0')).join('');
}
