import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { type ChatGptServer, PERSON, startChatGptServer } from '../../harness/authorization-server.ts';
import { cleanEnvironment, runOxbow, startOxbow } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
let server: ChatGptServer;
beforeEach(async () => {
  workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  server = await startChatGptServer();
  configure();
});

const configure = (top = '') =>
  workspace.configure(`${top}\n[auth]\nissuer = "${server.url}"\nclient_id = "me"\ncallback_ports = [0]\n`);
const inHome = (...names: string[]) => join(workspace.home, ...names);
const oxbow = (...args: string[]) => runOxbow(args, { workspace });
const withKey = (key: string, ...args: string[]) =>
  runOxbow(['login', '--with-api-key', ...args], { workspace, stdin: `${key}\n` });
const auth = (...names: string[]) => JSON.parse(readFileSync(inHome(...names), 'utf8'));

test('a key comes from a pipe, never from the screen, and is never shown', async () => {
  const kept = await withKey('sk-secret');
  expect(kept).toMatchObject({ code: 0, stdout: `The key is kept in ${inHome('auth.json')}.\n`, stderr: '' });
  expect(auth('auth.json')).toEqual({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-secret' });
  expect(statSync(inHome('auth.json')).mode & 0o777).toBe(0o600);
  const status = await oxbow('login', 'status');
  expect(status.stdout).toBe(`Signed in with an API key, from ${inHome('auth.json')}.\n`);
  for (const stdin of ['', ' \n']) {
    const empty = await runOxbow(['login', '--with-api-key'], { workspace, stdin });
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('Standard input has no key. For example:')]);
  }
  expect((await withKey('sk a')).stderr).toContain('Standard input has more than a key.');
});

test('the credentials that win are named, in the order of requests', async () => {
  await withKey('sk-secret');
  const where = async (env: Record<string, string>) =>
    JSON.parse((await runOxbow(['login', 'status', '--json'], { workspace, env })).stdout).where;
  expect(await where({ OPENAI_API_KEY: 'a', CODEX_API_KEY: 'b' })).toBe('CODEX_API_KEY');
  expect(await where({ OPENAI_API_KEY: 'a' })).toBe(inHome('auth.json'));
  await oxbow('logout');
  expect(await where({ OPENAI_API_KEY: 'a' })).toBe('OPENAI_API_KEY');
  expect((await oxbow('login', 'status', '-c', 'model_provider=ollama')).stdout).toMatch(/^Ollama needs no key\.\n$/i);
});

test('accounts are signed in to, listed, chosen and removed', async () => {
  await withKey('sk-default');
  const device = await startOxbow(['login', '--device-auth', '--account', 'work'], { workspace });
  const shown = await device.waitForError(/Type this code[\s\S]*Waiting/);
  expect(shown).toContain('ABCD-1234');
  const done = await device.wait();
  expect([done.code, done.stdout]).toEqual([
    0,
    expect.stringContaining('To use it: --account work, or oxbow accounts'),
  ]);
  expect(auth('accounts', 'work.json')).toMatchObject({ tokens: { account_id: PERSON.accountId } });
  const list = `* default  API key\n  work     ChatGPT, ${PERSON.email}, plan ${PERSON.plan}\n`;
  expect(await oxbow('accounts', 'list')).toMatchObject({ code: 0, stdout: list });
  expect((await oxbow('accounts', 'use', 'wrok')).stderr).toContain(
    'There is no account "wrok". There are: default, work.',
  );
  expect((await oxbow('accounts', 'use', 'work')).stdout).toBe('The account work is used from now on.\n');
  const account = async (...args: string[]) => JSON.parse((await oxbow('login', 'status', '--json', ...args)).stdout);
  expect(await account()).toMatchObject({ account: 'work', kind: 'chatgpt' });
  expect(await account('--account', 'default')).toMatchObject({ account: 'default', kind: 'key' });
  expect(JSON.parse((await oxbow('accounts', 'list', '--json')).stdout)).toMatchObject([
    { name: 'default', chosen: false, kind: 'key' },
    { name: 'work', chosen: true, kind: 'chatgpt', email: PERSON.email, account_id: PERSON.accountId },
  ]);
  expect((await oxbow('accounts', 'remove', 'work')).code).toBe(0);
  expect(server.revocations).toHaveLength(1);
  expect(existsSync(inHome('accounts', 'work.json'))).toBe(false);
  expect(await account()).toMatchObject({ account: 'default', kind: 'key' });
});

/** Starts a server that refuses every request. Returns the keys that it gets. */
async function refusingServer(top = '') {
  const keys: (string | undefined)[] = [];
  const api = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"enough"}}');
  });
  await new Promise<void>((ready) => api.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void api.close());
  const { port } = api.address() as { port: number };
  configure(`openai_base_url = "http://127.0.0.1:${port}/v1"\nmodel = "m"\n${top}`);
  return { keys };
}

test('exec --account uses the key of that account', async () => {
  await withKey('sk-default');
  await withKey('sk-work', '--account', 'work');
  const { keys } = await refusingServer();
  const exec = (...args: string[]) => oxbow('exec', '--skip-git-repo-check', ...args, 'hello');
  await exec();
  await exec('--account', 'work');
  expect([...new Set(keys)]).toEqual(['Bearer sk-default', 'Bearer sk-work']);
});

test('exec uses a key of the keyring', async () => {
  const { keys } = await refusingServer('cli_auth_credentials_store = "keyring"\n');
  const env = addSecretTool();
  await runOxbow(['login', '--with-api-key'], { workspace, stdin: 'sk-ring', env });
  await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace, env });
  expect([...new Set(keys)]).toEqual(['Bearer sk-ring']);
  const lost = await runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace, env: { PATH: nodeOnly() } });
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('could not be read there. Sign in again')]);
});

test('only the allowed way of signing in works', async () => {
  configure('forced_login_method = "chatgpt"');
  expect((await withKey('sk-x')).stderr).toContain('Sign in with ChatGPT: forced_login_method = "chatgpt"');
  configure('forced_login_method = "api"');
  expect((await oxbow('login', '--device-auth')).stderr).toContain('Sign in with an API key: forced_login_method');
});

test('a truncated auth.json is a sentence, and a new sign-in replaces it', async () => {
  writeFileSync(inHome('auth.json'), '{"OPENAI_API_KEY":"sk-secr');
  const status = await oxbow('login', 'status');
  expect([status.code, status.stdout]).toEqual([
    1,
    `Not signed in: ${inHome('auth.json')} is cut off, or is not JSON. Remove it and sign in again.\n`,
  ]);
  expect((await withKey('sk-new')).code).toBe(0);
  expect(auth('auth.json').OPENAI_API_KEY).toBe('sk-new');
});

/** Puts a program into PATH that keeps secrets in files, as secret-tool keeps them in the keyring. */
function addSecretTool(): Record<string, string> {
  const folder = inHome('bin');
  mkdirSync(folder);
  const script = `#!/bin/sh
verb=$1; shift
[ "$verb" = store ] && shift
file="${folder}/$(echo "$4" | tr -c 'a-z0-9\\n' _).secret"
case $verb in
  store) cat > "$file" ;;
  lookup) [ -f "$file" ] && cat "$file" ;;
  clear) rm "$file" ;;
esac
`;
  writeFileSync(join(folder, 'secret-tool'), script, { mode: 0o755 });
  return { PATH: `${folder}:${cleanEnvironment(workspace).PATH}` };
}

test('the keyring keeps sign-ins when asked, and the file does where there is none', async () => {
  await withKey('sk-old');
  configure('cli_auth_credentials_store = "keyring"');
  const none = await runOxbow(['login', '--with-api-key'], { workspace, stdin: 'sk-file', env: { PATH: nodeOnly() } });
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('note: There is no program for the keyring')]);
  expect(auth('auth.json').OPENAI_API_KEY).toBe('sk-file');
  const env = addSecretTool();
  const kept = await runOxbow(['login', '--with-api-key'], { workspace, stdin: 'sk-ring', env });
  expect(kept).toMatchObject({ code: 0, stdout: 'The key is kept in the keyring.\n', stderr: '' });
  expect(auth('auth.json')).toEqual({ auth_mode: 'apikey', oxbow_kept_in: 'keyring' });
  await runOxbow(['login', '--with-api-key', '--account', 'work'], { workspace, stdin: 'sk-work', env });
  const list = await runOxbow(['accounts', 'list'], { workspace, env });
  expect(list.stdout).toBe('* default  API key\n  work     API key\n');
  const status = await runOxbow(['login', 'status'], { workspace, env });
  expect(status).toMatchObject({ code: 0, stdout: 'Signed in with an API key, from the keyring.\n' });
  expect(await runOxbow(['logout'], { workspace, env })).toMatchObject({ code: 0, stdout: 'You are signed out.\n' });
  expect((await runOxbow(['login', 'status'], { workspace, env })).code).toBe(1);
});

/** Returns a PATH on which there is Node and no program for the keyring. */
function nodeOnly(): string {
  return cleanEnvironment(workspace).PATH?.split(':')[0] ?? '';
}
