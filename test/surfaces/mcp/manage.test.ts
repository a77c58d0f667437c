import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../../../src/testing/index.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
});

const mcp = (...args: string[]) => runOxbow(['mcp', ...args], { workspace });
const file = () => join(workspace.home, 'config.toml');
const text = () => readFileSync(file(), 'utf8');

test('add writes servers as Codex does, and remove takes them out, with all comments kept', async () => {
  const before = '# mine\nmodel = "a" # for now\n\n[tools.update_plan]\nenabled = true\n';
  workspace.configure(before);
  const added = await mcp('add', 'docs', '--env', 'A=1', '--env', 'B=x y', '--', 'npx', '-y', 'some server', '--flag');
  expect(added).toMatchObject({ code: 0, stdout: `The MCP server "docs" is now in ${file()}.\n`, stderr: '' });
  const oauth = ['--oauth-client-id', 'me', '--oauth-client-secret-env-var', 'S', '--oauth-resource', 'urn:r'];
  expect(await mcp('add', 'web', '--url', 'https://example.com/mcp', ...oauth)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('If it wants a sign-in: oxbow mcp login web\n'),
  });
  expect(text()).toBe(`${before}
[mcp_servers.docs]
command = "npx"
args = ["-y", "some server", "--flag"]

[mcp_servers.docs.env]
A = "1"
B = "x y"

[mcp_servers.web]
url = "https://example.com/mcp"
oauth_resource = "urn:r"

[mcp_servers.web.oauth]
client_id = "me"
client_secret_env_var = "S"
`);
  expect((await mcp('add', 'docs', '--url', 'http://x/mcp', '--bearer-token-env-var', 'TOK')).code).toBe(0);
  expect(text()).toContain(
    '[mcp_servers.docs]\nurl = "http://x/mcp"\nbearer_token_env_var = "TOK"\n\n[mcp_servers.web]',
  );
  expect((await mcp('remove', 'docs')).stdout).toBe(`The MCP server "docs" was removed from ${file()}.\n`);
  expect((await mcp('remove', 'web')).code).toBe(0);
  expect(text()).toBe(before);
  expect(await mcp('remove', 'web')).toMatchObject({ code: 0, stdout: 'There is no MCP server "web".\n' });
});

test('remove says so when there is no such server among others', async () => {
  const config = '[mcp_servers.docs]\ncommand = "a"\n';
  workspace.configure(config);
  expect(await mcp('remove', 'doc')).toMatchObject({ code: 0, stdout: 'There is no MCP server "doc".\n' });
  expect(text()).toBe(config);
});

test('remove works on a server whose settings make no sense, and writes no file', async () => {
  expect((await mcp('remove', 'x')).code).toBe(0);
  expect(existsSync(file())).toBe(false);
  workspace.configure('[mcp_servers.x]\nargs = 3\n\n[mcp_servers.y]\ncommand = "a"\n');
  expect((await mcp('list')).stderr).toContain('mcp_servers.x');
  expect((await mcp('remove', 'x')).code).toBe(0);
  expect(text()).toBe('[mcp_servers.y]\ncommand = "a"\n');
});

test.each([
  [['add'], 2, 'oxbow mcp add takes NAME. See oxbow mcp add --help.'],
  [['add', 'a'], 2, 'Name the command of the server after --, or its address with --url.'],
  [['add', 'a', 'npx', '-y', 'x'], 2, 'Write -- before the command of the server, which is "npx".'],
  [['add', 'a', 'npx'], 2, 'Unexpected "npx". Write -- before the command of the server.'],
  [['add', 'a b', '--', 'x'], 2, 'The name "a b" cannot be used. A name has letters, digits and - _ : @ / . only.'],
  [['add', 'a', '--env', 'secret', '--', 'x'], 2, '--env takes KEY=VALUE, such as --env LOG=1.\n'],
  [['add', 'a', '--url', 'x'], 2, '--url takes an address that begins with http:// or https://, not "x".'],
  [['add', 'a', '--url', 'http://x', '--', 'y'], 2, 'A server has a command or --url, not both.'],
  [['add', 'a', '--url', 'http://x', '--env', 'A=1'], 2, '--env is for programs, not for servers with --url.'],
  [['add', 'a', '--oauth-client-id', 'i', '--', 'x'], 2, '--oauth-client-id is for servers with --url'],
  [['add', 'a', '--url', 'http://x', '--oauth-client-secret-env-var', 'S'], 2, 'needs --oauth-client-id.'],
  [
    ['add', 'a', '--url', 'http://x', '--oauth-client-secret', 's'],
    2,
    'Put it into a variable: --oauth-client-secret-env-var NAME.',
  ],
  [['get', 'doc'], 1, 'There is no MCP server "doc". Did you mean docs? oxbow mcp list shows all.'],
  [['get'], 2, 'oxbow mcp get takes NAME. See oxbow mcp get --help.'],
  [['tool', 'docs'], 2, 'oxbow mcp has no verb "tool". Did you mean tools?'],
  [['login', 'docs'], 1, 'The MCP server "docs" is a program, which has no sign-in.'],
  [['login', 'web'], 1, 'gets its token from the variable TOK, and needs no sign-in.'],
  [['call', 'docs', 'x', '[1]'], 2, 'The arguments of a tool are a JSON object'],
  [['call', 'docs'], 2, 'oxbow mcp call takes NAME and TOOL and JSON.'],
])('%j is refused', async (args, code, message) => {
  const config =
    '[mcp_servers.docs]\ncommand = "a"\n\n[mcp_servers.web]\nurl = "http://x"\nbearer_token_env_var = "TOK"\n';
  workspace.configure(config);
  const result = await mcp(...args);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  expect(text()).toBe(config);
});

test('a token in the place of its variable is not repeated', async () => {
  const result = await mcp('add', 'a', '--url', 'http://x', '--bearer-token-env-var', 'sk-123-456');
  expect(result).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('takes the name of an environment variable'),
  });
  expect(result.stderr).not.toContain('sk-123');
});

const SERVERS = `[mcp_servers.docs]
command = "npx"
args = ["-y", "server"]
env = { KEY = "secret-1" }

[mcp_servers.web]
url = "https://u:secret-2@example.com/mcp"
enabled = false
startup_timeout_sec = 5
tool_timeout_sec = 7
enabled_tools = ["a"]
http_headers = { X = "secret-3" }
env_http_headers = { Y = "YV" }

[mcp_servers.tok]
url = "https://example.com/mcp"
bearer_token_env_var = "TOK"
`;

test('list and get print tables and the JSON of Codex, without secrets', async () => {
  expect((await mcp('list')).stderr).toBe('There are no MCP servers. To add one: oxbow mcp add NAME -- COMMAND\n');
  workspace.configure(SERVERS);
  const list = await mcp('list');
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toBe(`Name  Command  Args       Env        Cwd  Status   Auth
docs  npx      -y server  KEY=*****  -    enabled  none needed

Name  Url                                 Bearer Token Env Var  Status    Auth
web   https://[redacted]@example.com/mcp  -                     disabled  not signed in
tok   https://example.com/mcp             TOK                   enabled   bearer token
`);
  const json = JSON.parse((await mcp('list', '--json')).stdout);
  expect(json[0]).toEqual({
    name: 'docs',
    enabled: true,
    disabled_reason: null,
    transport: {
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'server'],
      env: { KEY: '*****' },
      env_vars: [],
      cwd: null,
    },
    startup_timeout_sec: null,
    tool_timeout_sec: null,
    auth_status: 'unsupported',
  });
  expect(json[1]).toMatchObject({ enabled: false, startup_timeout_sec: 5, auth_status: 'not_logged_in' });
  expect(json[2]).toMatchObject({
    transport: { http_headers: null, env_http_headers: null },
    auth_status: 'bearer_token',
  });
  expect(JSON.parse((await mcp('get', 'web', '--json')).stdout)).toEqual({
    name: 'web',
    enabled: false,
    disabled_reason: null,
    transport: {
      type: 'streamable_http',
      url: expect.stringContaining('example.com/mcp'),
      bearer_token_env_var: null,
      http_headers: { X: '*****' },
      env_http_headers: { Y: 'YV' },
      http_headers_helper: null,
    },
    enabled_tools: ['a'],
    disabled_tools: null,
    startup_timeout_sec: 5,
    tool_timeout_sec: 7,
  });
  const shown = (await mcp('get', 'web')).stdout;
  expect(shown).toContain(
    '  http_headers: X=*****\n  env_http_headers: Y=YV\n  auth: not signed in\n  enabled_tools: a\n',
  );
  expect((await mcp('get', 'docs')).stdout).toContain('docs\n  enabled: true\n  transport: stdio\n  command: npx\n');
  const everything = [list.stdout, shown, JSON.stringify(json), (await mcp('get', 'docs')).stdout].join();
  expect(everything).not.toMatch(/secret-\d/);
});

const configureDocs = (delayMs = 0, more = '') => {
  const server = mcpTestServer(delayMs);
  const { command, args } = server.table;
  workspace.configure(`[mcp_servers.docs]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n${more}`);
  return server;
};

test('tools lists the tools of a server with their hints, and ends it', async () => {
  const server = configureDocs(0, 'disabled_tools = ["effect"]\n');
  const { stdout, code, stderr } = await mcp('tools', 'docs');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('echo (reads only)\n');
  expect(stdout).toContain('effect (off, no hints)\n');
  const list: { name: string }[] = JSON.parse((await mcp('tools', 'docs', '--json')).stdout);
  expect(list.find(({ name }) => name === 'echo')).toMatchObject({ hints: { readOnly: true }, enabled: true });
  expect(list.find(({ name }) => name === 'effect')).toMatchObject({ enabled: false, inputSchema: expect.anything() });
  expect(server.starts()).toHaveLength(2);
  expect(processesWith(server.folder)).toEqual([]);
});

test('call prints the result of a tool, and fails with it', async () => {
  const server = configureDocs();
  expect(await mcp('call', 'docs', 'echo', '{"word": "hello"}')).toMatchObject({
    code: 0,
    stdout: 'hello\n',
    stderr: '',
  });
  expect(await mcp('call', 'docs', 'effect')).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(server.effects()).toBe(1);
  expect(await mcp('call', 'docs', 'wrong')).toMatchObject({ code: 1, stdout: 'It did not work.\n', stderr: '' });
  const steps = await mcp('call', 'docs', 'steps');
  expect(steps).toMatchObject({ code: 0, stdout: 'both done\n', stderr: 'working (1/2)\nworking (2/2)\n' });
  const sum = JSON.parse((await mcp('call', 'docs', 'sum', '{"a": 1, "b": 2}', '--json')).stdout);
  expect(sum).toMatchObject({ structuredContent: { sum: 3 }, isError: false });
  expect((await mcp('call', 'docs', 'picture')).stdout).toMatch(/^\{"type":"image",/);
  const lost = await mcp('call', 'docs', 'effect_and_die');
  expect(lost).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^oxbow: The MCP server "docs" .*\.\n$/s),
  });
  expect(processesWith(server.folder)).toEqual([]);
});

test('a server that does not start in time, or not at all, is a sentence', async () => {
  const server = configureDocs(60_000, 'startup_timeout_sec = 1\n');
  const late = await mcp('tools', 'docs');
  expect(late).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^oxbow: The MCP server "docs" /) });
  expect(processesWith(server.folder)).toEqual([]);
  workspace.configure('[mcp_servers.docs]\ncommand = "no-such-program"\n');
  const missing = await mcp('call', 'docs', 'x');
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^oxbow: The MCP server "docs" .*no-such-program/),
  });
});

test('Ctrl-C ends a start, and the server with it', async () => {
  const server = configureDocs(60_000);
  const program = await startOxbow(['mcp', 'tools', 'docs'], { workspace });
  await expect.poll(() => processesWith(server.folder).length, { timeout: 10_000 }).toBeGreaterThan(0);
  program.kill('SIGINT');
  expect(await program.wait()).toMatchObject({ code: 1, stdout: '', stderr: 'Interrupted.\n' });
  await expect.poll(() => processesWith(server.folder), { timeout: 10_000 }).toEqual([]);
});

test('every verb has a help with an example', async () => {
  const { stdout } = await mcp('--help');
  for (const verb of ['list', 'get', 'add', 'remove', 'login', 'logout', 'tools', 'call']) {
    expect(stdout).toContain(`  ${verb} `);
    expect((await mcp(verb, '--help')).stdout).toContain(`Example:\n  oxbow mcp ${verb}`);
  }
});
