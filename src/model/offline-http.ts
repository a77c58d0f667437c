import { ModelError } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';
import type { HttpSender } from './http.ts';

/** Returns a client that sends requests to this machine only. All others fail before a name is looked up. */
export function offlineHttp<T extends HttpSender>(http: T): T {
  return {
    ...http,
    send: async (url, options) => {
      if (!isThisMachine(url)) throw offlineError(url);
      return http.send(url, options);
    },
  };
}

/** Reports whether an address is this machine. A name below `localhost` may be asked of a name server, so it is not. */
function isThisMachine({ hostname }: URL): boolean {
  return isLoopback(hostname) && !hostname.endsWith('.localhost');
}

function offlineError({ protocol, host }: URL): ModelError {
  const why = `Oxbow is offline, so ${protocol}//${host} was not contacted: only this machine (localhost, 127.0.0.1, ::1) is.`;
  return new ModelError('unreachable', `${why} Use a server on this machine, or turn the setting offline off.`);
}
