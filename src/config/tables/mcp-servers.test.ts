import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../explain-config.ts';
import { loadConfig } from '../load-config.ts';

const load = (toml: string) => loadConfig({ env: { HOME: '/nowhere' }, cwd: '/', settings: parse(toml) });
const servers = (toml: string) => load(toml).tools.mcp.servers;

describe('[mcp_servers.NAME]', () => {
  test('a program has the defaults of Codex', () => {
    expect(servers('[mcp_servers.docs]\ncommand = "docs-server"')).toEqual([
      {
        type: 'stdio',
        name: 'docs',
        command: 'docs-server',
        args: [],
        env: {},
        envVars: [],
        cwd: null,
        enabled: true,
        required: false,
        startupTimeoutMs: 30_000,
        toolTimeoutMs: 300_000,
        enabledTools: null,
        disabledTools: [],
        parallelCalls: false,
        approval: 'auto',
        toolApprovals: {},
        toolOutputTokens: {},
      },
    ]);
  });

  test('every key of Codex that has a meaning here is read, without a warning', () => {
    const toml = `
      [mcp_servers.docs]
      command = "npx"
      args = ["-y", "docs-server"]
      env = { TOKEN = "x" }
      env_vars = ["A", { name = "B", source = "local" }]
      cwd = "/srv"
      enabled = false
      required = true
      startup_timeout_sec = 1.5
      startup_timeout_ms = 7
      tool_timeout_sec = 2
      enabled_tools = ["read"]
      disabled_tools = ["write"]
      supports_parallel_tool_calls = true
      default_tools_approval_mode = "writes"
      tool_input_schema_max_bytes = 100
      [mcp_servers.docs.tools.read]
      approval_mode = "approve"
      output_token_limit = 50
      [mcp_servers.web]
      url = "https://x.example/mcp"
      bearer_token_env_var = "T"
      http_headers = { "X-A" = "1" }
      env_http_headers = { "X-B" = "VAR" }
      scopes = ["a"]
      oauth = { client_id = "me", client_secret_env_var = "S" }
      oauth_resource = "https://x.example"
      startup_timeout_ms = 7`;
    const config = load(toml);
    expect(config.warnings).toEqual([]);
    expect(config.tools.mcp.servers).toMatchObject([
      {
        args: ['-y', 'docs-server'],
        env: { TOKEN: 'x' },
        envVars: ['A', 'B'],
        cwd: '/srv',
        enabled: false,
        required: true,
        startupTimeoutMs: 1500,
        toolTimeoutMs: 2000,
        enabledTools: ['read'],
        disabledTools: ['write'],
        parallelCalls: true,
        approval: 'writes',
        toolApprovals: { read: 'approve' },
        schemaMaxBytes: 100,
        toolOutputTokens: { read: 50 },
      },
      {
        type: 'http',
        url: 'https://x.example/mcp',
        bearerTokenEnvVar: 'T',
        headers: { 'X-A': '1' },
        envHeaders: { 'X-B': 'VAR' },
        startupTimeoutMs: 7,
        oauth: { clientId: 'me', clientSecretEnvVar: 'S', scopes: ['a'], resource: 'https://x.example' },
      },
    ]);
  });

  test.each([
    ['args = []', '[mcp_servers.x] has neither a command nor a url. Set one of them.'],
    [
      'command = "a"\nurl = "http://b"',
      '[mcp_servers.x] has a command, so that url has no place in it. Remove one of the two.',
    ],
    [
      'command = "a"\nhttp_headers = { A = "b" }',
      '[mcp_servers.x] has a command, so that http_headers has no place in it. Remove one of the two.',
    ],
    [
      'command = "a"\noauth.client_id = "b"',
      '[mcp_servers.x] has a command, so that oauth.client_id has no place in it. Remove one of the two.',
    ],
    [
      'url = "http://b"\nargs = []',
      '[mcp_servers.x] has a url, so that args has no place in it. Remove one of the two.',
    ],
    ['url = "b"', '[mcp_servers.x] has a url that is not an address. It begins with http:// or https://.'],
    [
      'url = "http://b"\nbearer_token = "secret"',
      '[mcp_servers.x] has a bearer_token, which would stand in the file. Name its variable in bearer_token_env_var.',
    ],
    ['command = "a"\nenv_vars = [1]', 'mcp_servers.x.env_vars must be a list of strings, not [1] (options).'],
    [
      'command = "a"\ntools.t.approval_mode = "yes"',
      'mcp_servers.x.tools.t.approval_mode must be one of "auto", "prompt", "writes", "approve", not "yes" (options).',
    ],
  ])('%j is refused with a sentence', (body, sentence) => {
    expect(() => load(`[mcp_servers.x]\n${body}`)).toThrow(expect.objectContaining({ message: sentence }));
  });

  test('a key without effect is named', () => {
    const { warnings } = load('[mcp_servers.x]\ncommand = "a"\nauth = "oauth"\nomit_tools_from = ["direct"]');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('mcp_servers.x.auth, mcp_servers.x.omit_tools_from in options');
  });

  test('variables and headers are hidden where settings are shown', () => {
    const settings = parse(
      '[mcp_servers.x]\ncommand = "a"\nenv = { A = "s3cret" }\n[mcp_servers.y]\nurl = "http://b"\nhttp_headers = { A = "s3cret" }',
    );
    const shown = explainConfig({ env: { HOME: '/nowhere' }, cwd: '/', settings });
    expect(JSON.stringify(shown)).not.toContain('s3cret');
    expect(shown.settings).toContainEqual({ key: 'mcp_servers.x.command', value: 'a', origin: 'options' });
  });

  test('the grace has the name of Codex too', () => {
    expect(load('').tools.mcp.startupGraceMs).toBe(3000);
    expect(load('mcp_optional_startup_grace_ms = 5').tools.mcp.startupGraceMs).toBe(5);
    expect(load('mcp_startup_grace_ms = 0').tools.mcp.startupGraceMs).toBe(0);
  });
});
