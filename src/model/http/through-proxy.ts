import type { Socket } from 'node:net';
import { ModelError } from '../../base/errors.ts';
import type { FoundProxy } from '../../base/find-proxy.ts';
import { readProxy } from '../../base/read-proxy.ts';
import { explainUnreachable } from '../unreachable.ts';
import { type Connect, connectDirectly, secureConnect, type TlsTrust } from './connect.ts';
import { openTunnel } from './open-tunnel.ts';
import { ProxyFault } from './proxy-fault.ts';
import type { Relay, Way } from './way.ts';

/** A proxy as requests need it. */
interface Proxy {
  readonly url: URL;
  /** The proxy and its variable, for people. */
  readonly name: string;
  readonly variable: string;
  /** Header line with the user and the password, or an empty text. */
  readonly authorization: string;
}

/**
 * Returns the way to a server through a proxy: a tunnel to a server that speaks TLS, and requests that the proxy sends on
 * to another one. Proxies often allow no tunnels but to port 443. Throws `ProxyFault` for a variable that names no proxy.
 */
export async function wayThroughProxy(url: URL, found: FoundProxy, trust: TlsTrust): Promise<Way> {
  const proxy = proxyOf(found);
  // The certificate of the client is for the server.
  const reach = await connectDirectly(proxy.url, { certificates: trust.certificates });
  const connect: Connect = (signal) => reach(signal).catch((error: unknown) => throwFault(proxy, error));
  if (url.protocol !== 'https:') return { connect, relay: relayOf(url, proxy) };
  const secure = await secureConnect(url, trust);
  const target = `${url.hostname}:${url.port || 443}`;
  const tunnel = async (signal: AbortSignal): Promise<Socket> => {
    const socket = await connect(signal);
    const answer = await openTunnel(socket, { target, authorization: proxy.authorization }, signal).catch(
      (error: unknown) => throwFault(proxy, error),
    );
    if (answer.status < 300) return socket;
    socket.destroy();
    throw refusalOf(proxy, target, answer.status, answer.headers['proxy-authenticate']);
  };
  return { connect: async (signal) => secure(signal, await tunnel(signal)) };
}

function relayOf(url: URL, proxy: Proxy): Relay {
  const origin = `${url.protocol}//${url.host}`;
  return {
    head: (head) =>
      head.replace(/^(\S+) (.*)\r\n/, (_, method, rest) => `${method} ${origin}${rest}\r\n${proxy.authorization}`),
    refusal: (status, challenge) => (status === 407 ? refusalOf(proxy, url.host, status, challenge) : undefined),
  };
}

/** Returns a proxy with the user and the password of its address. Throws `ProxyFault`. */
function proxyOf(found: FoundProxy): Proxy {
  const read = readProxy(found);
  if ('fault' in read) throw lasting(read.fault);
  const { url } = read;
  const { variable } = found;
  const pair = Buffer.from(`${unescaped(url.username)}:${unescaped(url.password)}`).toString('base64');
  return {
    url,
    name: `the proxy ${url.protocol}//${url.host} (${variable})`,
    variable,
    authorization: url.username + url.password === '' ? '' : `proxy-authorization: Basic ${pair}\r\n`,
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Throws the fault of a proxy that could not be reached or gave no answer. A request that was aborted has its own error. */
function throwFault({ name, variable }: Proxy, error: unknown): never {
  if (error instanceof ModelError) throw error;
  const { why, lasting, code } = explainUnreachable(error);
  const advice = `Check the proxy and the variable ${variable}, or list the server in NO_PROXY to reach it directly.`;
  throw new ProxyFault(`Cannot reach ${name}: ${why}. ${advice}`, { code, lasting, cause: error });
}

/** Returns the fault of a proxy that does not let a request pass. */
function refusalOf(proxy: Proxy, target: string, status: number, challenge: string | undefined): ProxyFault {
  const { name, variable, authorization, url } = proxy;
  if (status >= 500) {
    const text = `${capital(name)} could not connect to ${target}: status ${status}.`;
    return new ProxyFault(`${text} Check that the server is running and that base_url is right.`, { lasting: false });
  }
  if (status !== 407) {
    const text = `${capital(name)} refused to connect to ${target}: status ${status}.`;
    return lasting(`${text} Ask for access to this server, or list it in NO_PROXY to reach it directly.`);
  }
  if (challenge !== undefined && !/\bbasic\b/i.test(challenge)) {
    const asked = /^[\w-]{1,40}/.exec(challenge)?.[0] ?? 'another scheme';
    return lasting(`${capital(name)} wants a sign-in by ${asked}, which is not supported (status 407). Only Basic is.`);
  }
  if (authorization !== '') {
    return lasting(`${capital(name)} refused the user name or the password in ${variable} (status 407). Correct them.`);
  }
  const form = `${url.protocol}//USER:PASSWORD@${url.host}`;
  return lasting(`${capital(name)} wants a user name and a password (status 407). Set ${variable} to ${form}.`);
}

function lasting(message: string): ProxyFault {
  return new ProxyFault(message, { lasting: true });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
