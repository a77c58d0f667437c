import { isIP } from 'node:net';

/** A host in its canonical spelling, by which it is compared and resolved. */
export type Host =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string; readonly family: 4 | 6 };

/** Characters that the parser of a URL would drop or decode, or that end the host. */
const NOT_OF_A_HOST = /[\s\p{Cc}/\\?#@%<>^|`{}"]/u;

/**
 * Parses a host without its port. The result is in lower case, with international names in ASCII form, without a
 * trailing dot, and with addresses in one spelling: resolvers also read `0x7f.1` as 127.0.0.1. Returns undefined for
 * anything else.
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
