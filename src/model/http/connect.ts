import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { hangUp } from './connection.ts';

/**
 * Function that opens a connection to one server. It resolves with a socket to which a request can be written. It
 * rejects when the server cannot be reached, or with the signal's reason when the signal aborts first, and leaves no
 * socket open then.
 */
export type Connect = (signal: AbortSignal) => Promise<Socket>;

/** Function that returns certificates of authorities, as PEM, to trust besides those of Node. */
export type ExtraCertificates = () => readonly string[] | undefined;

/** A certificate and its key, as PEM. */
export interface ShownCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The trust between this client and a server over TLS. */
export interface TlsTrust {
  readonly certificates?: ExtraCertificates | undefined;
  /** Certificate by which this client shows who it is. */
  readonly clientCertificate?: ShownCertificate | undefined;
}

const OPTIONS = {
  // Node abandons each address of a host but the last after 250 ms, which is too short for a distant server:
  // https://github.com/nodejs/node/issues/54359
  autoSelectFamilyAttemptTimeout: 5000,
};

/** Returns the function that connects to a server without a proxy. */
export async function connectDirectly(url: URL, trust: TlsTrust): Promise<Connect> {
  if (url.protocol === 'https:') return secureConnect(url, trust);
  const [host, port] = [hostOf(url), Number(url.port || 80)];
  return (signal) => opened(connectPlain({ ...OPTIONS, host, port }), 'connect', signal);
}

/** Function that opens a connection over TLS, over a socket that leads to the server if there is one. */
type SecureConnect = (signal: AbortSignal, socket?: Socket) => Promise<Socket>;

/**
 * Returns the function that connects to a server over TLS. TLS is loaded when first needed: a server on this machine does
 * not need it, and loading it costs time and memory.
 */
export async function secureConnect(url: URL, { certificates, clientCertificate }: TlsTrust): Promise<SecureConnect> {
  const tls = await import('node:tls');
  const host = hostOf(url);
  const extra = certificates?.();
  const secure = {
    ...OPTIONS,
    host,
    port: Number(url.port || 443),
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...((extra || clientCertificate) && {
      secureContext: tls.createSecureContext({ ...trusting(extra, tls), ...clientCertificate }),
    }),
  };
  let session: Buffer | undefined;
  return (signal, under) => {
    const over = under === undefined ? {} : { socket: under };
    const socket = tls.connect({ ...secure, ...over, ...(session === undefined ? {} : { session }) });
    if (under !== undefined) socket.once('close', () => under.destroy());
    // Saves the next connection a round trip.
    socket.on('session', (next) => {
      session = next;
    });
    // A session that the server no longer accepts must not be offered forever.
    socket.once('error', () => {
      session = undefined;
    });
    return opened(socket, 'secureConnect', signal);
  };
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns all authorities of Node and further ones. A list of authorities would replace those of Node. */
function trusting(extra: readonly string[] | undefined, tls: typeof import('node:tls')): { ca?: string[] } {
  return extra === undefined ? {} : { ca: [...tls.rootCertificates, ...extra] };
}

const KEEP_ALIVE_MS = 1000;

function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  // Bytes are sent as soon as they are written, and a server that has vanished is noticed.
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return new Promise((resolve, reject) => {
    let fault: Error | undefined;
    const onAbort = () => {
      const isHandshake = event === 'secureConnect' && !socket.connecting;
      socket.destroy(isHandshake ? handshakeFault(signal.reason) : signal.reason);
    };
    const onError = (error: Error) => {
      fault = error;
    };
    const onClose = () => {
      signal.removeEventListener('abort', onAbort);
      reject(fault ?? hangUp());
    };
    signal.addEventListener('abort', onAbort);
    socket.on('error', onError);
    socket.on('close', onClose);
    socket.once(event, () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', onError);
      socket.off('close', onClose);
      resolve(socket);
    });
  });
}

/** Returns the reason why a handshake was ended. Its timeout has a code of its own. */
function handshakeFault(reason: Error & { readonly code?: string }): Error {
  if (reason.code !== 'ETIMEDOUT') return reason;
  return Object.assign(new Error('the TLS handshake timed out'), { code: 'ERR_TLS_HANDSHAKE_TIMEOUT' });
}
