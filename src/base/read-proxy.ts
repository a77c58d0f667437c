import type { FoundProxy } from './find-proxy.ts';
import { redactUrl } from './redact-url.ts';

/** The address of a proxy, or a sentence that says why a variable names none. */
export type ReadProxy = { readonly url: URL } | { readonly fault: string };

const PROTOCOLS: readonly string[] = ['http:', 'https:'];

/** Reads the address of a proxy, which may lack `http://`. The fault has no password. */
export function readProxy({ variable, address }: FoundProxy): ReadProxy {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const shown = redactUrl(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.hostname === '') {
    return { fault: `${variable} is not the address of a proxy: ${shown}. Write it as http://HOST:PORT, or unset it.` };
  }
  if (PROTOCOLS.includes(url.protocol)) return { url };
  const kind = `${variable} names a proxy of the kind ${url.protocol.slice(0, -1)}, which is not supported: ${shown}.`;
  const advice = `Name a proxy with http:// or https://, list the server in NO_PROXY, or unset ${variable}.`;
  return { fault: `${kind} ${advice}` };
}
