import type { AuthPlace } from '../../auth/auth-store.ts';
import type { AuthSend } from '../../auth/chatgpt/auth-server.ts';
import type { Config } from '../../config/load-config.ts';
import type { HttpSender } from '../../model/http.ts';

/** Time without a byte after which an answer is given up. */
const IDLE_MS = 30_000;

/** Returns the place of the sign-in that a configuration chooses. */
export async function authPlace(
  { home, account, auth, env }: Pick<Config, 'home' | 'account' | 'auth' | 'env'>,
  onNotice?: (notice: string) => void,
): Promise<AuthPlace> {
  if (auth.credentialsStore === 'file') return { home, account };
  const { systemKeyring } = await import('./system-keyring.ts');
  // With `auto` the file is as good as the keyring.
  return { home, account, keyring: systemKeyring(env), ...(auth.credentialsStore === 'keyring' && { onNotice }) };
}

/** Returns a function that sends the requests of a sign-in over the connections of the agent. */
export function authSend(http: HttpSender): AuthSend {
  return async (url, { headers, body, signal }) => {
    const response = await http.send(url, { headers, body: Buffer.from(body), idleTimeoutMs: IDLE_MS, signal });
    return {
      status: response.status,
      body: (async function* () {
        try {
          for (let bytes = await response.read(IDLE_MS); bytes !== null; bytes = await response.read(IDLE_MS))
            yield bytes;
        } finally {
          response.release();
        }
      })(),
    };
  };
}
