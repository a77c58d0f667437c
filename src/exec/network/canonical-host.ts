import { isIP } from 'node:net';

/** A host in the one spelling that it is compared and resolved by. */
export type Host =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string; readonly family: 4 | 6 };

/** What a URL's parser would drop, decode or end the host at. */
const NOT_OF_A_HOST = /[\s\p{Cc}/\\?#@%<>^|`{}"]/u;

/**
 * Reads a host without its port: lower case, international names in their ASCII form, no trailing dot, addresses in one
 * spelling, since resolvers take `0x7f.1` for 127.0.0.1 too. Undefined when it is no host.
 */
export function canonicalHost(given: string): Host | undefined {
  if (given === '' || given.length > 260 || NOT_OF_A_HOST.test(given)) return undefined;
  const written = isIP(given) === 6 ? `[${given}]` : given;
  if (!written.startsWith('[') && written.includes(':')) return undefined;
  let parsed: string;
  try {
    parsed = new URL(`http://${written}/`).hostname;
  } catch {
    return undefined;
  }
  const text = parsed.startsWith('[') ? parsed.slice(1, -1) : parsed.replace(/\.$/, '');
  const family = isIP(text);
  if (family === 4 || family === 6) return { kind: 'address', text, family };
  return isName(text) ? { kind: 'name', text } : undefined;
}

function isName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => label !== '' && label.length <= 63);
}
