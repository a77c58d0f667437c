import { connect, type LookupFunction, type Socket } from 'node:net';

export interface ConnectOptions {
  readonly timeoutMs: number;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Waits longer for a slow address than Node's quarter of a second before it tries the next one. */
const HOW = { allowHalfOpen: true, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1000 } as const;

/**
 * Connects to one of the checked addresses without looking up any name. Resolves when the connection is open; rejects
 * when no address answers in time.
 */
export function connectChecked(addresses: readonly string[], port: number, options: ConnectOptions): Promise<Socket> {
  const { timeoutMs, signal } = options;
  const answer = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const lookup: LookupFunction = (_name, { all }, done) => {
    const [first = { address: '', family: 4 }] = answer;
    if (all) done(null, answer);
    else done(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Any name makes Node call `lookup`. It would not be called for an address.
    const socket = connect({ host: 'checked.invalid', port, lookup, ...HOW });
    const settle = () => {
      clearTimeout(timer);
      socket.off('error', fail);
      signal.removeEventListener('abort', leave);
    };
    const fail = (error: Error) => {
      settle();
      socket.destroy();
      reject(error);
    };
    const leave = () => fail(new Error('the client has gone'));
    const timer = setTimeout(() => fail(new Error('it did not answer in time')), timeoutMs);
    socket.once('error', fail);
    signal.addEventListener('abort', leave);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
