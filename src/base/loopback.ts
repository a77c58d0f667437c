const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const LOOPBACK_V4 = new RegExp(`^127(?:\\.${OCTET}){3}$`);

/** Reports whether a host, as in a URL or a setting, can only be this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (name.includes(':')) return URL.canParse(`http://[${name}]`) && new URL(`http://[${name}]`).hostname === '[::1]';
  return LOOPBACK_V4.test(name) || name === 'localhost' || name.endsWith('.localhost');
}
