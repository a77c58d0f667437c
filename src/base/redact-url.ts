/** Names of parameters and headers that hold credentials. */
const SECRET_NAME = /auth|key|token|secret|cookie|credential|pass|pwd|signature|account|(?:^|[^a-z])sig(?:[^a-z]|$)/i;
/** Shorter values are words such as `Bearer`, or placeholders for servers that need no key. */
export const MIN_SECRET_CHARS = 8;

/** Names that count tokens of another kind. */
const HARMLESS_NAME = /rate-?limit/i;

/**
 * The part of a URL before its host. A password may contain any character, if it was not escaped; a number before a
 * slash is a port.
 */
const USER = /^(\s*(?:[a-z][a-z0-9+.-]*:\/\/)?)(?:[^/?#]*@|[^/?#@:[\]]*:(?!\/\/|\d+(?:[/?#]|$)).*@)/is;

const URLS = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi;

/** Returns a URL without its user and password, and without the values of parameters that are credentials. */
export function redactUrl(url: string, mark = '[redacted]'): string {
  const shown = url.replace(USER, `$1${mark}@`);
  const start = shown.search(/[?#]/);
  if (start === -1) return shown;
  const query = shown.slice(start).replace(/([?#&;])([^=?#&;]*)=([^?#&;]*)/g, (pair, before: string, name: string) => {
    return isSecretParameter(unescaped(name)) ? `${before}${name}=${mark}` : pair;
  });
  return shown.slice(0, start) + query;
}

/** Returns a text in which every URL is redacted. */
export function redactUrls(text: string, mark?: string): string {
  return text.includes('://') ? text.replace(URLS, (url) => redactUrl(url, mark)) : text;
}

/** Returns the passwords in the URLs of a text, as they are written and without escapes. */
export function passwordsIn(text: string): string[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(URLS)].flatMap(([url]) => {
    const [found = ''] = USER.exec(url) ?? [];
    const password = /\/\/[^:]*:(.+)@$/s.exec(found)?.[1];
    return password === undefined ? [] : [...new Set([password, unescaped(password)])];
  });
}

/** Reports whether a parameter of a URL, or a header, of this name holds a credential. */
export function isSecretParameter(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
