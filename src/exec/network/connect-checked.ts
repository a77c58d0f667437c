import { connect, type LookupFunction, type Socket } from 'node:net';

export interface ConnectOptions {
  readonly timeoutMs: number;
  /** The client has left. */
  readonly signal: AbortSignal;
}

/** A slow machine is not given up for the next one after Node's quarter of a second. */
const HOW = { allowHalfOpen: true, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1000 } as const;

/**
 * Connects to one of the addresses, which were checked, and to nothing else: no name is looked up. Resolves when it is
 * open; rejects when none answers in time.
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
    // The name only has to be one: an address would not be asked for.
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
    const leave = () => fail(new Error('nobody waits for it any more'));
    const timer = setTimeout(() => fail(new Error('it did not answer in time')), timeoutMs);
    socket.once('error', fail);
    signal.addEventListener('abort', leave);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
