import { isUnsendable } from './header-syntax.ts';

/** Returns the head of a request as it is sent, up to the line with the length of the body. */
export function requestHead(method: string, url: URL, headers: Readonly<Record<string, string>>): string {
  let text = `${method} ${targetOf(url)} HTTP/1.1\r\n`;
  if (headers.host === undefined) text += `host: ${url.host}\r\n`;
  const { username, password } = url;
  if (username !== '' && headers.authorization === undefined) {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    text += `authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`;
  }
  for (const name in headers) {
    if (NOT_SENT.has(name)) continue;
    const value = headers[name] ?? '';
    // A line break would add a header or a request that the caller did not mean.
    if (isUnsendable(name) || isUnsendable(value))
      throw new Error('a header holds a character that HTTP does not allow');
    text += `${name}: ${value}\r\n`;
  }
  return `${text}connection: keep-alive\r\n`;
}

/** Headers that only the client itself decides. */
const NOT_SENT: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection']);

const targets = new WeakMap<URL, string>();

/** Returns the target of a request. It is computed once for each address, because that takes longer than the rest of a head. */
function targetOf(url: URL): string {
  let target = targets.get(url);
  if (target === undefined) {
    target = url.pathname + url.search;
    targets.set(url, target);
  }
  return target;
}
