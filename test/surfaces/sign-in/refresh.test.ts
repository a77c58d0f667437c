import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ChatGptServer, PERSON, startChatGptServer } from '../../harness/authorization-server.ts';
import { buildRefreshProgram, type RefreshOptions } from '../../harness/refresh-program.ts';

let program: Awaited<ReturnType<typeof buildRefreshProgram>>;
beforeAll(async () => {
  program = await buildRefreshProgram();
});
afterAll(() => program.dispose());

let home: string;
let server: ChatGptServer;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'refresh-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  server = await startChatGptServer();
});

const MINUTE = 60_000;
const authPath = () => join(home, 'auth.json');
const journalPath = () => `${authPath()}.refresh`;
const stored = () => JSON.parse(readFileSync(authPath(), 'utf8'));

/** Signs in, with a token of the server that was given some time ago. */
function signIn({ ago = 0, ...fields }: { readonly ago?: number; readonly [field: string]: unknown } = {}) {
  server.clockMs -= ago;
  const tokens = server.tokens();
  server.clockMs += ago;
  const last_refresh = new Date(Date.now() - ago).toISOString();
  const auth = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh, ...fields };
  writeFileSync(authPath(), JSON.stringify(auth));
  return tokens;
}

const start = (options: Partial<RefreshOptions> = {}) =>
  program.start({ home, issuer: server.url, clientId: 'me', ...options });

async function fresh(options?: Partial<RefreshOptions>) {
  const { stdout } = await (await start(options)).wait();
  return JSON.parse(stdout);
}

test('tokens that last are used as they are, with the account of their claims', async () => {
  const { access_token } = signIn({ ago: 54 * MINUTE });
  const { email, plan, accountId } = PERSON;
  expect(await fresh()).toEqual({ accessToken: access_token, email, plan, accountId, isFedramp: false });
  expect(server.refreshes).toEqual([]);
});

test('tokens are refreshed five minutes before they end, and unknown fields stay', async () => {
  const { refresh_token } = signIn({ ago: 56 * MINUTE, agent_identity: { of: 'codex' } });
  const { accessToken } = await fresh();
  expect(server.refreshes).toEqual([{ client_id: 'me', grant_type: 'refresh_token', refresh_token }]);
  expect(stored()).toMatchObject({
    agent_identity: { of: 'codex' },
    tokens: { access_token: accessToken, refresh_token: [...server.live][0] },
  });
  expect(Date.now() - Date.parse(stored().last_refresh)).toBeLessThan(MINUTE);
  expect([statSync(authPath()).mode & 0o777, existsSync(journalPath())]).toEqual([0o600, false]);
});

test('tokens that do not say when they end are refreshed after the configured days', async () => {
  server.lifeSeconds = null;
  signIn({ ago: 7 * 24 * 60 * MINUTE });
  await fresh();
  expect(server.refreshes).toHaveLength(0);
  await fresh({ refreshAfterDays: 6 });
  expect(server.refreshes).toHaveLength(1);
});

test('five processes whose token was refused send one refresh, and get the same token', async () => {
  const { access_token } = signIn();
  const all = await Promise.all(Array.from({ length: 5 }, () => fresh({ refused: access_token })));
  expect(server.refreshes).toHaveLength(1);
  expect(new Set(all.map(({ accessToken }) => accessToken))).toEqual(new Set([stored().tokens.access_token]));
  expect(stored().tokens.access_token).not.toBe(access_token);
});

test('five processes whose token has ended send one refresh', async () => {
  signIn({ ago: 2 * 60 * MINUTE });
  await Promise.all(Array.from({ length: 5 }, () => fresh()));
  expect(server.refreshes).toHaveLength(1);
});

test('a process that is killed between receiving and writing loses no token', async () => {
  const { refresh_token } = signIn({ ago: 59 * MINUTE });
  server.holdsAnswers = true;
  const killed = await start();
  const [spare] = await untilReceived();
  killed.kill('SIGKILL');
  expect(await killed.wait()).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  expect(stored().tokens.refresh_token).toBe(refresh_token);
  expect(statSync(journalPath()).mode & 0o777).toBe(0o600);
  server.holdsAnswers = false;
  const { accessToken } = await fresh();
  expect(server.refreshes).toHaveLength(1);
  expect(stored().tokens).toMatchObject({ access_token: accessToken, refresh_token: spare });
  expect(existsSync(journalPath())).toBe(false);
});

/** Resolves with the live refresh tokens when the whole answer has reached the process. */
async function untilReceived(): Promise<string[]> {
  for (;;) {
    const live = [...server.live];
    const text = existsSync(journalPath()) ? readFileSync(journalPath(), 'utf8') : '';
    if (text.includes(live[0] ?? '-') && text.endsWith('}')) return live;
    await delay(10);
  }
}

test('a half answer of a process that was killed is not used', async () => {
  signIn({ ago: 59 * MINUTE });
  writeFileSync(journalPath(), 'mark\n{"access_token":"half');
  expect(await fresh()).toMatchObject({ accountId: PERSON.accountId });
  expect(server.refreshes).toHaveLength(1);
});

test.each([
  ['ahead', 3 * 60 * MINUTE],
  ['behind', -3 * 60 * MINUTE],
])('a clock that is hours %s neither refreshes every time nor too late', async (_, clockMs) => {
  const now = Date.now() + clockMs;
  const at = (ago: number) => new Date(now - ago).toISOString();
  signIn({ last_refresh: at(0) });
  await fresh({ clockMs });
  expect(server.refreshes).toHaveLength(0);
  signIn({ ago: 56 * MINUTE, last_refresh: at(56 * MINUTE) });
  await fresh({ clockMs });
  expect(server.refreshes).toHaveLength(1);
  await fresh({ clockMs });
  expect(server.refreshes).toHaveLength(1);
});

test.each([
  ['refresh_token_expired', 'The sign-in with ChatGPT has expired. Sign in again.'],
  [
    'refresh_token_reused',
    'The sign-in with ChatGPT was refreshed elsewhere, and its token here is spent. Sign in again.',
  ],
  [
    'refresh_token_invalidated',
    'The sign-in with ChatGPT was ended, by signing out or by a new password. Sign in again.',
  ],
  ['unknown', 'The sign-in with ChatGPT is no longer valid. Sign in again.'],
])('%s is a sentence that says to sign in again', async (code, message) => {
  const tokens = signIn({ ago: 61 * MINUTE });
  const words = `no: ${tokens.refresh_token}`;
  server.refuseRefresh = { status: 401, body: { error: { code, message: words } } };
  expect(await fresh()).toEqual({ code: 'auth', message, remedy: { type: 'sign_in' } });
  expect(stored().tokens).toEqual(tokens);
});

test('a server that fails does no harm while the token still lasts', async () => {
  const { access_token, refresh_token } = signIn({ ago: 57 * MINUTE });
  server.refuseRefresh = { status: 503, body: { error: { message: `busy ${refresh_token}` } } };
  expect(await fresh()).toMatchObject({ accessToken: access_token });
  signIn({ ago: 61 * MINUTE });
  const failed = await fresh();
  expect(failed).toMatchObject({ code: 'unreachable' });
  expect(failed.message).toBe(`${server.url} did not refresh the sign-in: status 503: busy …. Try again.`);
});

test('a token that Codex spent first is not an error', async () => {
  const { refresh_token } = signIn({ ago: 61 * MINUTE });
  let after: ReturnType<typeof signIn> | undefined;
  server.onRefresh = () => {
    server.live.delete(refresh_token);
    after = signIn();
  };
  expect(await fresh()).toMatchObject({ accessToken: after?.access_token });
});

test('a journal that cannot be written spends no token', async () => {
  signIn({ ago: 61 * MINUTE });
  mkdirSync(journalPath());
  expect((await fresh()).message).toContain(`The sign-in cannot be refreshed, because ${journalPath()} cannot be`);
  expect(server.refreshes).toHaveLength(0);
});

test('a truncated auth.json and one without tokens are sentences', async () => {
  signIn();
  writeFileSync(authPath(), readFileSync(authPath(), 'utf8').slice(0, 200));
  const message = `${authPath()} is cut off, or is not JSON. Remove it and sign in again.`;
  expect(await fresh()).toEqual({ code: 'auth', message, remedy: { type: 'sign_in' } });
  expect(await fresh({ account: 'work' })).toEqual({
    code: 'auth',
    message: `There is no sign-in with ChatGPT in ${join(home, 'accounts', 'work.json')}.`,
    remedy: { type: 'sign_in', account: 'work' },
  });
});
