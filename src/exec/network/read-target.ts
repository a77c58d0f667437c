import { canonicalHost } from './canonical-host.ts';
import type { NetworkTarget } from './check-target.ts';

/** Parses the `host:port` of a CONNECT request. Returns undefined for anything else. */
export function readAuthority(text: string): NetworkTarget | undefined {
  const [, name = '', digits = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  return targetOf(name, Number(digits));
}

/** Parses the URL of a plain request. Returns undefined unless it is an absolute http URL. */
export function readAbsoluteUrl(text: string): { readonly target: NetworkTarget; readonly url: URL } | undefined {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const target = targetOf(url.hostname, Number(url.port || 80));
  return target && { target, url };
}

function targetOf(name: string, port: number): NetworkTarget | undefined {
  const host = canonicalHost(name);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
