import type { RequestOptions } from 'node:http';
import { urlToHttpOptions } from 'node:url';

const addresses = new WeakMap<URL, RequestOptions>();

/** What Node wants to know of an address, found out once: it would do so for each request. */
export function addressOf(url: URL): RequestOptions {
  const known = addresses.get(url);
  if (known !== undefined) return known;
  const { protocol, hostname, port, path } = urlToHttpOptions(url);
  const address = { protocol, hostname, port, path };
  addresses.set(url, address);
  return address;
}

/** Names and values in turns, as they are sent: Node would look at each of an object's fields several times. */
export function headerList(url: URL, headers: Readonly<Record<string, string>>, size: number | undefined): string[] {
  const list = headers.host === undefined ? ['host', url.host] : [];
  const { username, password } = url;
  if (username !== '' && headers.authorization === undefined) {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    list.push('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  }
  for (const [name, value] of Object.entries(headers)) if (name !== 'content-length') list.push(name, value);
  if (size !== undefined) list.push('content-length', String(size));
  return list;
}
