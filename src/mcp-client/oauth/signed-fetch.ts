import type { Fetch } from '../connect/bounded-fetch.ts';
import type { Sdk } from '../connect/load-sdk.ts';
import type { SignIn } from './create-sign-in.ts';
import type { Challenge } from './sign-in-context.ts';

/**
 * Returns a fetch that sends the token of a server. A request that the server refuses for want of a token, or of a
 * scope, is sent again with another token, once for each reason: the server has not run it.
 */
export function signedFetch(sdk: Sdk, fetch: Fetch, signIn: SignIn): Fetch {
  return async (url, init) => {
    const tried = new Set<boolean>();
    for (;;) {
      const token = await signIn.token();
      const headers = new Headers(init?.headers);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      const response = await fetch(url, { ...init, headers });
      const challenge = readChallenge(sdk, response);
      if (challenge === undefined || tried.has(challenge.isScope)) return response;
      tried.add(challenge.isScope);
      if (!(await signIn.renew(challenge, token))) return response;
      await response.body?.cancel();
    }
  };
}

export function readChallenge(sdk: Sdk, response: Response): Challenge | undefined {
  const { scope, error, resourceMetadataUrl } = sdk.extractWWWAuthenticateParams(response);
  const isScope = response.status === 403 && error === 'insufficient_scope';
  return isScope || response.status === 401 ? { isScope, scope, resourceMetadataUrl } : undefined;
}
