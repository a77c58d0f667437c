import { connect as connectPlain, isIP, type Socket } from 'node:net';

/** Opens connections to one server. */
export type Connect = () => Socket;

const OPTIONS = {
  // Node gives up each address of a host but the last after 250 ms, too short for a distant server:
  // https://github.com/nodejs/node/issues/54359
  autoSelectFamilyAttemptTimeout: 5000,
};

/** How a server is reached. TLS is loaded when first needed: a server on this machine does without its time and memory. */
export async function connectTo(url: URL): Promise<Connect> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.protocol !== 'https:') {
    const port = Number(url.port || 80);
    return () => prepared(connectPlain({ ...OPTIONS, host, port }));
  }
  const { connect } = await import('node:tls');
  const secure = {
    ...OPTIONS,
    host,
    port: Number(url.port || 443),
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
  let session: Buffer | undefined;
  return () => {
    const socket = connect(session === undefined ? secure : { ...secure, session });
    // The next connection is spared a round trip.
    socket.on('session', (next) => {
      session = next;
    });
    // One that the server would not take up again must not be offered for ever.
    socket.once('error', () => {
      session = undefined;
    });
    return prepared(socket);
  };
}

const KEEP_ALIVE_MS = 1000;

/** What is written goes out at once, and whoever is gone without a word is noticed. */
function prepared(socket: Socket): Socket {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}
