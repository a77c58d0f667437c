import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { McpToolRequest } from '../../base/mcp-connection.ts';
import type { McpHttpServer, McpOauthSettings } from '../../base/mcp-server-config.ts';
import { openCredentialsFile } from '../../store/files/credentials-file.ts';
import { connectServer } from '../connect/connect-server.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../fixtures/authorization-server.ts';
import { type HttpServer, startHttpServer } from '../fixtures/http-server.ts';
import type { OpenBrowser, SignInBrowser } from './sign-in-context.ts';
import { signInToServer, signOutOfServer } from './sign-in-to-server.ts';

let home: string;
let server: HttpServer;
let auth: AuthorizationServer;
const open: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'sign-in-'));
  auth = await startAuthorizationServer();
  server = await startHttpServer();
  protect(server, () => auth);
});
afterEach(async () => {
  for (const one of [...open.splice(0), server, auth]) await one.close();
  rmSync(home, { recursive: true, force: true });
});

/** Lets a server refuse requests without a valid token. */
function protect(web: HttpServer, current: () => AuthorizationServer): void {
  const { origin } = new URL(web.url);
  const about = `${origin}/.well-known/oauth-protected-resource/mcp`;
  web.answers.GET = (_, response, request) => {
    if (!request.url?.startsWith('/.well-known/oauth-protected-resource')) return void response.writeHead(405).end();
    const metadata = { resource: web.url, authorization_servers: [current().url], scopes_supported: ['read'] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
  };
  web.answers['*'] = ({ id, method = '', params = {} }, response, request) => {
    const scope = current().tokens.get(request.headers.authorization?.slice('Bearer '.length) ?? '');
    const refuse = (status: number, words: string) =>
      response.writeHead(status, { 'www-authenticate': `Bearer ${words}, resource_metadata="${about}"` }).end();
    if (scope === undefined) return void refuse(401, 'error="invalid_token"');
    const needsWrite = method === 'tools/call' && params.name === 'write';
    if (needsWrite && !scope.includes('write')) return void refuse(403, 'error="insufficient_scope", scope="write"');
    if (id === undefined) return void response.writeHead(202).end();
    const result = web.results[method]?.(params);
    const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  };
}

const OAUTH: McpOauthSettings = { clientId: null, clientSecretEnvVar: null, scopes: null, resource: null };

const config = (oauth: Partial<McpOauthSettings> = {}): McpHttpServer => ({
  type: 'http',
  name: 'web',
  url: server.url,
  headers: {},
  envHeaders: {},
  bearerTokenEnvVar: null,
  oauth: { ...OAUTH, ...oauth },
  enabled: true,
  required: false,
  startupTimeoutMs: 20_000,
  toolTimeoutMs: 20_000,
  enabledTools: null,
  disabledTools: [],
  parallelCalls: false,
  approval: 'auto',
  toolApprovals: {},
});

const never = new AbortController().signal;

async function connect(
  browser?: SignInBrowser,
  oauth: Partial<McpOauthSettings> = {},
  env: Record<string, string> = {},
) {
  const credentials = openCredentialsFile(home);
  const withBrowser: { browser?: OpenBrowser } = browser === undefined ? {} : { browser: async () => browser };
  const connection = await connectServer({
    config: config(oauth),
    start: () => Promise.reject(new Error('not a program')),
    env,
    signIn: { credentials, ...withBrowser },
    clientInfo: { name: 'oxbow', version: '0' },
    onRevision() {},
    roots: () => [],
    onToolsChanged() {},
    onLog() {},
    signal: never,
  });
  open.push(connection);
  return connection;
}

const call = (tool: string): McpToolRequest => ({
  tool,
  input: {},
  timeoutMs: 20_000,
  maxTotalMs: 20_000,
  meta: {},
  signal: never,
  onProgress() {},
});

const entry = (): Record<string, unknown> => {
  const entries = JSON.parse(readFileSync(join(home, '.credentials.json'), 'utf8')) as Record<string, never>;
  return Object.values(entries)[0] ?? {};
};

async function setEntry(fields: Record<string, unknown>): Promise<void> {
  const file = openCredentialsFile(home);
  const [name = ''] = Object.keys(await file.read());
  await file.update(name, async (before) => ({ ...before, ...fields }));
}

const WANTS = 'The MCP server "web" wants a sign-in. Run: oxbow mcp login web';

test('without a user a server that wants a sign-in is named, with the command', async () => {
  await expect(connect()).rejects.toMatchObject({ kind: 'sign_in', message: WANTS });
});

test('a user signs in with PKCE at a client that is registered, and the token is kept as Codex keeps it', async () => {
  const connection = await connect(auth.browser);
  expect(await connection.listTools(never)).toHaveLength(1);
  expect(auth.registrations).toBe(1);
  expect(Object.fromEntries(auth.authorizations[0] ?? [])).toMatchObject({
    client_id: 'client-1',
    code_challenge_method: 'S256',
    scope: 'read',
    resource: server.url,
  });
  expect(entry()).toMatchObject({
    server_name: 'web',
    server_url: server.url,
    client_id: 'client-1',
    access_token: [...auth.tokens.keys()][0],
    expires_at: expect.any(Number),
    refresh_token: expect.stringMatching(/^refresh-/),
    scopes: ['read'],
    issuer: auth.url,
  });
  // The next process needs no user.
  await (await connect()).listTools(never);
  expect(auth.authorizations).toHaveLength(1);
});

test('a token is refreshed a minute before it expires, once for all processes', async () => {
  await connect(auth.browser);
  await setEntry({ expires_at: Date.now() + 50_000 });
  await Promise.all([connect(), connect(), connect()]);
  const refreshes = auth.tokenRequests.filter((form) => form.get('grant_type') === 'refresh_token');
  expect(refreshes).toHaveLength(1);
  expect(refreshes[0]?.get('resource')).toBe(server.url);
  expect(auth.tokens.has(String(entry().access_token))).toBe(true);
});

test('a token that the server refuses is refreshed, and the call is sent with the new one', async () => {
  const connection = await connect(auth.browser);
  auth.tokens.clear();
  await connection.callTool(call('echo'));
  expect(auth.tokenRequests.at(-1)?.get('grant_type')).toBe('refresh_token');
  expect(auth.authorizations).toHaveLength(1);
});

test('a refresh that is refused needs a user again', async () => {
  await connect(auth.browser);
  auth.tokens.clear();
  auth.refuseRefresh = 'invalid_grant';
  await expect(connect()).rejects.toMatchObject({ kind: 'sign_in', message: WANTS });
  expect(entry()).toMatchObject({ client_id: 'client-1', access_token: '', refresh_token: null });
  await connect(auth.browser);
  expect(auth.registrations).toBe(1);
});

test('a client that the authorization server has forgotten is registered again', async () => {
  await connect(auth.browser);
  auth.tokens.clear();
  auth.refuseRefresh = 'invalid_client';
  await connect(auth.browser);
  expect(auth.registrations).toBe(2);
  expect(entry()).toMatchObject({ client_id: 'client-2' });
});

test('a call that needs another scope asks for all scopes together, once', async () => {
  const connection = await connect(auth.browser);
  await connection.callTool(call('write'));
  expect(auth.authorizations.map((asked) => asked.get('scope'))).toEqual(['read', 'read write']);
  expect(entry().scopes).toEqual(['read', 'write']);
  expect(server.count('tools/call')).toBe(2);
  const alone = await connect();
  await setEntry({ access_token: 'narrow' });
  auth.tokens.set('narrow', 'read');
  await expect(alone.callTool(call('write'))).rejects.toMatchObject({ kind: 'sign_in', message: WANTS });
});

test('tokens are not shown to another authorization server', async () => {
  await connect(auth.browser);
  const other = await startAuthorizationServer();
  open.push(auth);
  auth = other;
  await expect(connect()).rejects.toMatchObject({ kind: 'sign_in' });
  expect(other.tokenRequests).toEqual([]);
  await connect(other.browser);
  expect(other.registrations).toBe(1);
  expect(entry()).toMatchObject({ issuer: other.url });
});

test('a client of the configuration shows its secret from a variable, which is not kept', async () => {
  const oauth = { clientId: 'mine', clientSecretEnvVar: 'SECRET', scopes: ['a', 'b'] };
  await connect(auth.browser, oauth, { SECRET: 'hush' });
  expect(auth.registrations).toBe(0);
  expect(auth.authorizations[0]?.get('scope')).toBe('a b');
  const basic = `Basic ${Buffer.from('mine:hush').toString('base64')}`;
  expect(auth.tokenRequests[0]?.get('authorization')).toBe(basic);
  expect(readFileSync(join(home, '.credentials.json'), 'utf8')).not.toContain('hush');
  auth.tokens.clear();
  await expect(connect(undefined, oauth)).rejects.toMatchObject({
    kind: 'start',
    message: expect.stringMatching(/variable SECRET/),
  });
});

test('an answer of the browser with another state is dropped', async () => {
  const forged = { ...auth.browser, authorize: async () => new URLSearchParams({ code: 'c', state: 'x' }) };
  await expect(connect(forged)).rejects.toMatchObject({
    kind: 'sign_in',
    message: expect.stringMatching(/another state/),
  });
  expect(auth.tokenRequests).toEqual([]);
});

test('a sign-in that the user refuses is a sentence', async () => {
  const refusing: SignInBrowser = {
    ...auth.browser,
    authorize: async (url) =>
      new URLSearchParams({ error: 'access_denied', state: url.searchParams.get('state') ?? '' }),
  };
  const message = 'The sign-in at the MCP server "web" was refused: access_denied';
  await expect(connect(refusing)).rejects.toMatchObject({ kind: 'sign_in', message });
});

test('a user signs in and out by hand', async () => {
  const credentials = openCredentialsFile(home);
  const options = { config: config(), env: {}, credentials, browser: async () => auth.browser };
  await signInToServer(options);
  await signInToServer(options);
  expect(auth.authorizations).toHaveLength(2);
  await (await connect()).listTools(never);
  expect(await signOutOfServer(credentials, config())).toBe(true);
  expect(await signOutOfServer(credentials, config())).toBe(false);
  await expect(connect()).rejects.toMatchObject({ kind: 'sign_in' });
});

test('a sign-in by hand that fails leaves the tokens of before', async () => {
  const credentials = openCredentialsFile(home);
  const options = { config: config(), env: {}, credentials, browser: async () => auth.browser };
  await signInToServer(options);
  const refusing: SignInBrowser = {
    ...auth.browser,
    authorize: async (url) =>
      new URLSearchParams({ error: 'access_denied', state: url.searchParams.get('state') ?? '' }),
  };
  await expect(signInToServer({ ...options, browser: async () => refusing })).rejects.toThrow(/access_denied/);
  await (await connect()).listTools(never);
});

test('a damaged file with credentials is named', async () => {
  const path = join(home, '.credentials.json');
  writeFileSync(path, '{');
  const message = `${path} is not valid JSON. Repair or remove it.`;
  await expect(connect()).rejects.toMatchObject({ kind: 'start', message });
});
