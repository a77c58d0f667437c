import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { type ChatGptServer, PERSON, startChatGptServer } from '../../harness/authorization-server.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import type { RunningProgram } from '../../harness/start-program.ts';

let workspace: TempWorkspace;
let server: ChatGptServer;
beforeEach(async () => {
  workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  server = await startChatGptServer();
  configure(`callback_ports = [0]`);
});

const configure = (lines: string, top = '') =>
  workspace.configure(`${top}\n[auth]\nissuer = "${server.url}/"\nclient_id = "me"\n${lines}\n`);
const authPath = () => join(workspace.home, 'auth.json');
const login = (...args: string[]) => startOxbow(['login', ...args], { workspace });
const addressOf = async (program: RunningProgram) => new URL(await program.waitForError(/http:\/\/\S+\/oauth\/\S+/));
/** Plays the browser of a person who agrees. */
const browse = (url: URL) => fetch(url);
/** Returns the address that the browser is sent back to, without going there. */
const backFrom = async (url: URL) => {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
};

test('login signs in, the browser says so, and auth.json has the shape of Codex', async () => {
  const program = await login();
  const url = await addressOf(program);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'me',
    redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/auth\/callback$/),
    scope: 'openid profile email offline_access api.connectors.read api.connectors.invoke',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
    id_token_add_organizations: 'true',
    codex_cli_simplified_flow: 'true',
    state: expect.stringMatching(/^[\w-]{43}$/),
    originator: 'oxbow_cli',
  });
  const page = await browse(url);
  const html = await page.text();
  expect([page.status, html]).toEqual([200, expect.stringContaining('<h1>You are signed in</h1>')]);
  expect(html).not.toMatch(/<script|src=|href=/);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const { code, stdout, stderr } = await program.wait();
  expect([code, stdout]).toEqual([
    0,
    `You are signed in with ChatGPT as ${PERSON.email}, plan ${PERSON.plan}. The sign-in is kept in ${authPath()}.\n`,
  ]);
  const auth = JSON.parse(readFileSync(authPath(), 'utf8'));
  expect(auth).toEqual({
    auth_mode: 'chatgpt',
    OPENAI_API_KEY: null,
    tokens: {
      id_token: expect.any(String),
      access_token: expect.any(String),
      refresh_token: [...server.live][0],
      account_id: PERSON.accountId,
    },
    last_refresh: expect.stringMatching(/Z$/),
  });
  expect(statSync(authPath()).mode & 0o777).toBe(0o600);
  const secrets = [...Object.values<string>(auth.tokens).slice(0, 3), server.exchanges[0]?.get('code') ?? ''];
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
});

test('login status says who is signed in and where, and logout ends the sign-in at the server too', async () => {
  const program = await login();
  await browse(await addressOf(program));
  await program.wait();
  const status = await runOxbow(['login', 'status'], { workspace, env: { OPENAI_API_KEY: 'sk-x' } });
  const text = `Signed in with ChatGPT as ${PERSON.email}, plan ${PERSON.plan}, from ${authPath()}.\n`;
  expect(status).toMatchObject({ code: 0, stdout: text, stderr: '' });
  const json = JSON.parse((await runOxbow(['login', 'status', '--json'], { workspace })).stdout);
  expect(json).toMatchObject({ kind: 'chatgpt', account: 'default', account_id: PERSON.accountId, where: authPath() });
  const [token] = [...server.live];
  expect(await runOxbow(['logout'], { workspace })).toMatchObject({ code: 0, stdout: 'You are signed out.\n' });
  expect(server.revocations).toEqual([{ token, token_type_hint: 'refresh_token', client_id: 'me' }]);
  expect(existsSync(authPath())).toBe(false);
  expect(await runOxbow(['login', 'status'], { workspace })).toMatchObject({
    code: 1,
    stdout: 'Not signed in. To sign in: oxbow login\n',
  });
});

test('a server that cannot be reached does not keep anybody signed in here', async () => {
  writeFileSync(authPath(), JSON.stringify({ auth_mode: 'chatgpt', tokens: server.tokens() }));
  workspace.configure('[auth]\nissuer = "http://127.0.0.1:1"\n');
  const { code, stderr } = await runOxbow(['logout'], { workspace });
  expect([code, stderr]).toEqual([0, expect.stringContaining('note: The sign-in was removed here, but http://127.0.')]);
  expect(existsSync(authPath())).toBe(false);
});

test('another state is refused, and the sign-in goes on', async () => {
  const program = await login();
  const url = await addressOf(program);
  const back = await backFrom(url);
  const right = back.searchParams.get('state') ?? '';
  for (const state of ['other', '']) {
    back.searchParams.set('state', state);
    const page = await fetch(back);
    expect([page.status, await page.text()]).toEqual([
      400,
      expect.stringContaining('not the sign-in that Oxbow waits'),
    ]);
  }
  expect(server.exchanges).toEqual([]);
  back.searchParams.set('state', right);
  expect((await fetch(back)).status).toBe(200);
  expect((await program.wait()).code).toBe(0);
});

test('a person who refuses gets a page and a sentence', async () => {
  server.denies = true;
  const program = await login();
  const page = await browse(await addressOf(program));
  const html = await page.text();
  expect(html).toContain('<h1>The sign-in was refused</h1>');
  expect(html).toContain('You said &lt;no&gt;.');
  const { code, stderr } = await program.wait();
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('oxbow: The sign-in was refused: You said <no>. Try again.'),
  ]);
  expect(existsSync(authPath())).toBe(false);
});

test('an expired code gets a page and a sentence', async () => {
  server.expires = true;
  const program = await login();
  const page = await browse(await addressOf(program));
  expect(await page.text()).toContain('<h1>The sign-in failed</h1>');
  const { code, stderr } = await program.wait();
  const text = `oxbow: ${server.url} gave no tokens: the code has expired or was used before. Sign in again.`;
  expect([code, stderr]).toEqual([1, expect.stringContaining(text)]);
});

test('a second tab shows the same page, and its code is not used', async () => {
  const program = await login();
  const url = await addressOf(program);
  const tabs = await Promise.all([backFrom(url), backFrom(url)]);
  const pages = await Promise.all(tabs.map(async (tab) => (await fetch(tab).catch(() => undefined))?.text()));
  // A tab that comes back after the end finds no server.
  const shown = pages.filter((page) => page !== undefined);
  expect(shown.length).toBeGreaterThan(0);
  for (const page of shown) expect(page).toContain('You are signed in');
  expect((await program.wait()).code).toBe(0);
  expect(server.exchanges).toHaveLength(1);
});

async function takePort(): Promise<{ port: number; close(): void }> {
  const taken = createServer((socket) => socket.destroy());
  await new Promise<void>((ready) => taken.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void taken.close());
  return { port: (taken.address() as AddressInfo).port, close: () => void taken.close() };
}

test('a port that is taken has a fallback, and two are a sentence', async () => {
  const [first, second] = [await takePort(), await takePort()];
  configure(`callback_ports = [${first.port}, ${second.port}]`);
  const failed = await runOxbow(['login'], { workspace });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain(`port ${first.port} and ${second.port} of this machine is in use.`);
  expect(failed.stderr).toContain('To sign in with a code: oxbow login --device-auth');
  second.close();
  const program = await login();
  const url = await addressOf(program);
  expect(url.searchParams.get('redirect_uri')).toBe(`http://localhost:${second.port}/auth/callback`);
  await browse(url);
  expect((await program.wait()).code).toBe(0);
});

test('a second login takes the port of one that waits', async () => {
  const { port, close } = await takePort();
  close();
  configure(`callback_ports = [${port}]`);
  const first = await login();
  await addressOf(first);
  const second = await login();
  const url = await addressOf(second);
  const ended = await first.wait();
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('because another program began one.')]);
  await browse(url);
  expect((await second.wait()).code).toBe(0);
});

test('Ctrl-C ends a login that waits', async () => {
  const program = await login();
  await addressOf(program);
  program.kill('SIGINT');
  const { code, stderr } = await program.wait();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/Interrupted\.\n$/)]);
});

test('a new sign-in ends the one before it at the server', async () => {
  const before = server.tokens();
  writeFileSync(authPath(), JSON.stringify({ OPENAI_API_KEY: null, tokens: before }));
  const program = await login();
  await browse(await addressOf(program));
  await program.wait();
  expect(server.revocations.map(({ token }) => token)).toEqual([before.refresh_token]);
});

test('only the workspace that config.toml names can be signed in to', async () => {
  configure('callback_ports = [0]', 'forced_chatgpt_workspace_id = ["acc-7", "acc-8"]');
  const program = await login();
  const url = await addressOf(program);
  expect(url.searchParams.get('allowed_workspace_id')).toBe('acc-7,acc-8');
  expect(await (await browse(url)).text()).toContain('allows only acc-7, acc-8.');
  expect((await program.wait()).code).toBe(1);
  expect(existsSync(authPath())).toBe(false);
});
