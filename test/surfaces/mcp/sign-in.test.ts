import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../../src/mcp-client/fixtures/authorization-server.ts';
import { startHttpServer } from '../../../src/mcp-client/fixtures/http-server.ts';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { cleanEnvironment, runOxbow, startOxbow } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
let issuer: AuthorizationServer;
beforeEach(async () => {
  workspace = createWorkspace();
  issuer = await startAuthorizationServer();
  const server = await startHttpServer();
  onTestFinished(async () => {
    await server.close();
    await issuer.close();
    workspace.dispose();
  });
  const { origin } = new URL(server.url);
  server.answers.GET = (_, response, { url = '' }) => {
    if (!url.startsWith('/.well-known/oauth-protected-resource')) return void response.writeHead(405).end();
    const body = { resource: server.url, authorization_servers: [issuer.url], scopes_supported: ['read'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const guarded = ({ id, method = '', params = {} }: Parameters<NonNullable<(typeof server.answers)['*']>>[0]) =>
    JSON.stringify({ jsonrpc: '2.0', id, result: server.results[method]?.(params) });
  server.answers['*'] = (message, response, { headers }) => {
    if (!issuer.tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) {
      const metadata = `${origin}/.well-known/oauth-protected-resource`;
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    } else if (message.id === undefined) response.writeHead(202).end();
    else if (server.results[message.method ?? ''] === undefined)
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } }));
    else response.writeHead(200, { 'content-type': 'application/json' }).end(guarded(message));
  };
  workspace.configure(`[mcp_servers.web]\nurl = "${server.url}"\n`);
});

const mcp = (...args: string[]) => runOxbow(['mcp', ...args], { workspace });
const tokensFile = () => join(workspace.home, '.credentials.json');

/** Puts a program into PATH that stands for the browser of a user who agrees. */
function addBrowser(): Record<string, string> {
  const folder = join(workspace.home, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nexec curl -sL "$1"\n`, { mode: 0o755 });
  return { DISPLAY: ':0', PATH: `${folder}:${cleanEnvironment(workspace).PATH}` };
}

test('login opens the browser and keeps the tokens, and logout forgets them', async () => {
  expect((await mcp('tools', 'web')).stderr).toContain('wants a sign-in. Run: oxbow mcp login web');
  const done = await runOxbow(['mcp', 'login', 'web', '--scopes', 'a,b'], { workspace, env: addBrowser() });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain(`To sign in at "web", open this address:\n\n${issuer.url}/authorize?`);
  expect(done.stdout).toMatch(/It was opened in your browser.*\nYou are signed in at "web".\n$/);
  expect(issuer.authorizations[0]?.get('scope')).toBe('a b');
  const [token = ''] = [...issuer.tokens.keys()];
  expect(readFileSync(tokensFile(), 'utf8')).toContain(token);
  expect(statSync(tokensFile()).mode & 0o777).toBe(0o600);
  const tools = await mcp('tools', 'web');
  expect(tools).toMatchObject({ code: 0, stdout: 'echo (no hints)\n' });
  expect(JSON.parse((await mcp('list', '--json')).stdout)[0].auth_status).toBe('o_auth');
  expect(done.stdout + done.stderr + tools.stdout).not.toContain(token);
  expect((await mcp('logout', 'web')).stdout).toBe('You are signed out of "web".\n');
  expect(existsSync(tokensFile())).toBe(false);
  expect(await mcp('logout', 'web')).toMatchObject({ code: 0, stdout: 'There was no sign-in at "web".\n' });
}, 30_000);

/** Starts a login without a browser. Its output goes to a file, which can be read while it waits. */
async function startLogin(env: Record<string, string> = {}) {
  const file = join(workspace.home, 'printed');
  const wrap = ['sh', '-c', `exec "$@" >'${file}'`, 'sh'];
  const args = ['mcp', 'login', 'web', '--no-browser'];
  const program = await startOxbow(args, { workspace, env, wrap, keepStdinOpen: true });
  const printed = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  await expect.poll(printed, { timeout: 10_000 }).toContain('paste the address');
  return { program, printed };
}

test('without a browser the address that it leads back to can be pasted', async () => {
  const { program, printed } = await startLogin(addBrowser());
  const [, address = ''] = /\n\n(http\S+)\n\n/.exec(printed()) ?? [];
  program.stdin.write('http://127.0.0.1/callback?code=x&state=other\n');
  const response = await fetch(address, { redirect: 'manual' });
  program.stdin.write(`${response.headers.get('location')}\n`);
  const { code, stderr } = await program.wait();
  expect(stderr).toBe('That is not the address that this sign-in leads back to. Paste all of it.\n');
  expect({ code, printed: printed() }).toEqual({
    code: 0,
    printed: expect.stringContaining('You are signed in at "web".\n'),
  });
  expect(issuer.authorizations).toHaveLength(1);
}, 30_000);

test('Ctrl-C ends a login without a sign-in', async () => {
  const { program } = await startLogin();
  program.kill('SIGINT');
  expect(await program.wait()).toMatchObject({ code: 1, stderr: 'Interrupted.\n' });
  expect(existsSync(tokensFile())).toBe(false);
}, 30_000);
