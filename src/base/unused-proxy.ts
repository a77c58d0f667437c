type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variable by which the environment asks for a proxy to an address; undefined if it asks for none. Requests
 * to models do not go through a proxy.
 */
export function unusedProxy({ protocol, hostname }: URL, env: Env): string | undefined {
  const host = hostname.toLowerCase();
  if (isLoopback(host) || isExcepted(host, env.no_proxy || env.NO_PROXY || '')) return undefined;
  const own = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  return [own, own.toUpperCase(), 'all_proxy', 'ALL_PROXY'].find((name) => (env[name] ?? '') !== '');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}

/** Reports whether a list such as `example.org,.example.com,*` contains a host. A name stands for all names below it. */
function isExcepted(host: string, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => entry.replace(/^\*?\./, '').replace(/:\d+$/, ''))
    .some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry}`))));
}
