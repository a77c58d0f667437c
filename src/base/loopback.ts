import { isIP } from 'node:net';

/** Reports whether a host, as in a URL or a setting, can only be this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) === 4) return name.startsWith('127.');
  if (isIP(name) === 6) return new URL(`http://[${name}]`).hostname === '[::1]';
  return name === 'localhost' || name.endsWith('.localhost');
}
