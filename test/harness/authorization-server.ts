import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A server on the loopback address that signs people in with ChatGPT, and the facts that tests ask for. */
export interface ChatGptServer {
  readonly url: string;
  /** Parameters of the sign-ins that were asked for, oldest first. */
  readonly authorizations: URLSearchParams[];
  /** Forms with which codes were exchanged. */
  readonly exchanges: URLSearchParams[];
  /** Bodies of the requests for a refresh. */
  readonly refreshes: Record<string, string>[];
  readonly revocations: Record<string, string>[];
  /** Requests that ask whether a code was typed. */
  polls: number;
  /** Whether the person refuses. */
  denies: boolean;
  /** Whether codes have expired when they are exchanged. */
  expires: boolean;
  /** Life of an access token in seconds. Null: tokens do not say. */
  lifeSeconds: number | null;
  /** Difference of this server's clock to that of the machine, in milliseconds. */
  clockMs: number;
  /** Answers to polls before the code was typed: a status and an error. */
  readonly pending: [number, string?][];
  /** Body of the answer to a request for a device code. */
  device: Record<string, unknown>;
  /** Answer that replaces that to a refresh. */
  refuseRefresh: { readonly status: number; readonly body: unknown } | undefined;
  /** Called when a refresh is asked for, before the answer. */
  onRefresh: () => void;
  /** Whether the end of an answer to a refresh is held back. */
  holdsAnswers: boolean;
  /** Refresh tokens that were given and not used. */
  readonly live: Set<string>;
  /** Returns a new set of tokens, as of a sign-in that happened before the test. */
  tokens(): { id_token: string; access_token: string; refresh_token: string };
}

export const PERSON = { email: 'ann@example.org', plan: 'plus', accountId: 'acc-1' };

/** Starts the server. It ends with the test. */
export async function startChatGptServer(): Promise<ChatGptServer> {
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => void answer(self, codes, request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const self: ChatGptServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations: [],
    exchanges: [],
    refreshes: [],
    revocations: [],
    polls: 0,
    denies: false,
    expires: false,
    lifeSeconds: 3600,
    clockMs: 0,
    pending: [],
    device: { device_auth_id: 'dev-1', user_code: 'ABCD-1234', interval: '0' },
    refuseRefresh: undefined,
    onRefresh() {},
    holdsAnswers: false,
    live: new Set(),
    tokens: () => newTokens(self),
  };
  return self;
}

type Codes = Map<string, URLSearchParams>;

async function answer(self: ChatGptServer, codes: Codes, request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '', self.url);
  const body = await text(request);
  const route = ROUTES[pathname];
  if (route) route({ self, codes, asked: searchParams, body, response });
  else response.writeHead(404).end();
}

interface Exchange {
  readonly self: ChatGptServer;
  readonly codes: Codes;
  readonly asked: URLSearchParams;
  readonly body: string;
  readonly response: ServerResponse;
}

const ROUTES: Readonly<Record<string, (exchange: Exchange) => void>> = {
  '/oauth/authorize': authorize,
  '/oauth/token'(exchange) {
    if (exchange.body.startsWith('{')) refresh(exchange);
    else exchangeCode(exchange);
  },
  '/oauth/revoke'({ self, body, response }) {
    self.revocations.push(JSON.parse(body));
    sendJson(response, {});
  },
  '/api/accounts/deviceauth/usercode': ({ self, response }) => sendJson(response, self.device),
  '/api/accounts/deviceauth/token'({ self, codes, response }) {
    self.polls++;
    const [status, error] = self.pending.shift() ?? [];
    if (status !== undefined) return void sendJson(response, error === undefined ? {} : { error }, status);
    const verifier = randomUUID();
    const code = randomUUID();
    const challenge = challengeOf(verifier);
    codes.set(
      code,
      new URLSearchParams({ code_challenge: challenge, redirect_uri: `${self.url}/deviceauth/callback` }),
    );
    sendJson(response, { authorization_code: code, code_verifier: verifier, code_challenge: challenge });
  },
};

/** Sends the browser back, as after the person has agreed or refused. */
function authorize({ self, codes, asked, response }: Exchange): void {
  self.authorizations.push(asked);
  const code = randomUUID();
  codes.set(code, asked);
  const back = new URL(asked.get('redirect_uri') ?? '');
  const result = self.denies ? { error: 'access_denied', error_description: 'You said <no>' } : { code };
  back.search = String(new URLSearchParams({ ...result, state: asked.get('state') ?? '' }));
  response.writeHead(302, { location: back.href }).end();
}

function exchangeCode({ self, codes, body, response }: Exchange): void {
  const form = new URLSearchParams(body);
  self.exchanges.push(form);
  const asked = codes.get(form.get('code') ?? '');
  codes.delete(form.get('code') ?? '');
  const isProven = asked?.get('code_challenge') === challengeOf(form.get('code_verifier') ?? '');
  const isSamePlace = asked?.get('redirect_uri') === form.get('redirect_uri');
  if (self.expires || !isProven || !isSamePlace) sendJson(response, { error: 'invalid_grant' }, 400);
  else sendJson(response, newTokens(self));
}

function refresh({ self, body, response }: Exchange): void {
  const asked = JSON.parse(body) as Record<string, string>;
  self.refreshes.push(asked);
  self.onRefresh();
  if (self.refuseRefresh) return void sendJson(response, self.refuseRefresh.body, self.refuseRefresh.status);
  // A refresh token works once.
  if (!self.live.delete(asked.refresh_token ?? ''))
    return void sendJson(response, { error: { code: 'refresh_token_reused', message: 'spent' } }, 401);
  const tokens = JSON.stringify(newTokens(self));
  response.writeHead(200, { 'content-type': 'application/json' }).write(tokens);
  if (!self.holdsAnswers) response.end();
}

function newTokens(self: ChatGptServer) {
  const iat = Math.floor((Date.now() + self.clockMs) / 1000);
  const auth = { chatgpt_account_id: PERSON.accountId, chatgpt_plan_type: PERSON.plan };
  const claims = { 'https://api.openai.com/auth': auth, iat, jti: randomUUID() };
  const end = self.lifeSeconds === null ? {} : { exp: iat + self.lifeSeconds };
  const refresh_token = `refresh-${randomUUID()}`;
  self.live.add(refresh_token);
  return {
    id_token: jwt({ ...claims, email: PERSON.email }),
    access_token: jwt({ ...claims, ...end }),
    refresh_token,
  };
}

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`;
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
