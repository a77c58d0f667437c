import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { cutMiddle } from '../../base/bound-text.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { AuthFile } from '../auth-file.ts';
import type { AuthServer } from './auth-server.ts';
import { createProof, exchangeCode, type Proof } from './exchange-code.ts';
import { listenOnLoopback } from './listen-on-loopback.ts';
import {
  CANCELLED,
  deniedPage,
  failedPage,
  NOT_FOUND,
  NOT_OURS,
  PAGE_HEADERS,
  pageHtml,
  SIGNED_IN,
  type SignInPage,
} from './sign-in-pages.ts';

export interface BrowserSignIn {
  readonly server: AuthServer;
  /** Ports that the browser may come back to, in their order. */
  readonly ports: readonly number[];
  /** Name of this program, for the server. */
  readonly originator: string;
  /** Ids of the only workspaces that may be signed in to. Absent: any. */
  readonly workspaces?: readonly string[] | null;
  readonly signal: AbortSignal;
  now(): number;
  /** Shows the address at which the user signs in. */
  show(url: URL): void;
  /** Stores the sign-in. The browser shows success only afterwards. Throws `UserError`. */
  keep(auth: AuthFile): Promise<void>;
}

const SCOPE = 'openid profile email offline_access api.connectors.read api.connectors.invoke';
const CALLBACK = '/auth/callback';
/** Time that a person has to sign in. */
const WAIT_MS = 15 * 60_000;

/** Lets the user sign in with ChatGPT in a browser that comes back to this machine. Throws `UserError`. */
export async function signInByBrowser(wanted: BrowserSignIn): Promise<void> {
  const { server: loopback, port } = await listenOnLoopback(wanted.ports);
  const redirectUrl = `http://localhost:${port}${CALLBACK}`;
  const attempt = { ...wanted, redirectUrl, proof: createProof(), state: randomBytes(32).toString('base64url') };
  try {
    const ended = outcomeOf(loopback, attempt);
    wanted.show(authorizeUrl(attempt));
    await ended;
  } finally {
    loopback.closeAllConnections();
    loopback.close();
  }
}

interface SignInAttempt extends BrowserSignIn {
  readonly redirectUrl: string;
  readonly proof: Proof;
  readonly state: string;
}

function authorizeUrl({ server, redirectUrl, proof, state, originator, workspaces }: SignInAttempt): URL {
  const url = new URL(`${server.issuer}/oauth/authorize`);
  url.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: server.clientId,
      redirect_uri: redirectUrl,
      scope: SCOPE,
      code_challenge: proof.challenge,
      code_challenge_method: 'S256',
      id_token_add_organizations: 'true',
      codex_cli_simplified_flow: 'true',
      state,
      originator,
      ...(workspaces ? { allowed_workspace_id: workspaces.join(',') } : {}),
    }),
  );
  return url;
}

/** The end of a sign-in: the page that every tab shows, and the error if there is one. */
interface SignInOutcome {
  readonly page: SignInPage;
  readonly error?: unknown;
}

/** Answers the browser until the sign-in has ended. Rejects with its error. */
function outcomeOf(loopback: Server, attempt: SignInAttempt): Promise<void> {
  return new Promise((resolve, reject) => {
    /** Set by the first tab that comes back. The code of another tab is not used: it shows the same page. */
    let outcome: Promise<SignInOutcome> | undefined;
    const end = ({ error }: SignInOutcome) => (error === undefined ? resolve() : reject(error));
    loopback.on('request', async (request: IncomingMessage, response: ServerResponse) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const isMeant = request.method === 'GET' && pathname === CALLBACK;
      if (isMeant && searchParams.get('state') === attempt.state) outcome ??= complete(attempt, searchParams);
      else if (request.method === 'GET' && pathname === '/cancel') outcome ??= Promise.resolve(CANCEL);
      else return void answer(response, isMeant ? NOT_OURS : NOT_FOUND);
      const ended = await outcome;
      await answer(response, ended.page);
      end(ended);
    });
    const limit = AbortSignal.any([attempt.signal, AbortSignal.timeout(WAIT_MS)]);
    const stop = () =>
      reject(
        attempt.signal.aborted
          ? attempt.signal.reason
          : new UserError('unavailable', 'No browser came back within 15 minutes. Sign in again.'),
      );
    limit.addEventListener('abort', stop, { once: true });
    if (limit.aborted) stop();
  });
}

const CANCEL: SignInOutcome = {
  page: CANCELLED,
  error: new UserError('in_use', 'The sign-in was cancelled, because another program began one.'),
};

/** Ends the sign-in with the parameters that the browser came back with. Never rejects. */
async function complete(attempt: SignInAttempt, params: URLSearchParams): Promise<SignInOutcome> {
  const { server, proof, redirectUrl, signal, now, keep } = attempt;
  const code = params.get('code');
  if (params.has('error') || !code) {
    const why = refusalOf(params);
    return { page: deniedPage(why), error: new UserError('unavailable', `The sign-in was refused: ${why} Try again.`) };
  }
  try {
    await keep(await exchangeCode(server, { code, verifier: proof.verifier, redirectUrl }, { now: now(), signal }));
    return { page: SIGNED_IN };
  } catch (error) {
    return { page: failedPage(messageOf(error)), error };
  }
}

/** Returns the server's words about a refusal as a sentence. */
function refusalOf(params: URLSearchParams): string {
  const said = params.get('error_description') || params.get('error') || 'the answer has no code';
  if (said.includes('missing_codex_entitlement'))
    return 'your workspace may not use Codex, and its administrator can change that.';
  return cutMiddle(said, { unit: 'bytes', limit: 300 }).replace(/\.?$/, '.');
}

/** Sends a page. Resolves when the browser has it, or has gone. */
function answer(response: ServerResponse, page: SignInPage): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.writeHead(page.status, PAGE_HEADERS).end(pageHtml(page), () => resolve());
  });
}
