import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { type LoadOptions, loadConfig } from './load-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
  mkdirSync(join(folder, 'work', 'deep'), { recursive: true });
  mkdirSync(join(folder, 'work', '.git'));
  writeFileSync(join(folder, 'work', '.git', 'HEAD'), '');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function load(toml: string, options: LoadOptions = {}) {
  writeFileSync(join(folder, 'config.toml'), toml);
  return loadConfig({ env: { OXBOW_HOME: folder }, cwd: join(folder, 'work'), ...options });
}

function faultOf(toml: string, options: LoadOptions = {}): string {
  try {
    load(toml, options);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('layers', () => {
  test('the command line beats -c, which beats the file; a later -c beats an earlier one', () => {
    expect(load('model = "file"').model).toBe('file');
    expect(load('model = "file"', { overrides: ['model=one', 'model="two"'] }).model).toBe('two');
    expect(load('', { overrides: ['model=one'], settings: { model: 'flag' } }).model).toBe('flag');
  });

  test('tables merge leaf by leaf, lists are replaced', () => {
    const config = load(
      '[sandbox_workspace_write]\nnetwork_access = true\nwritable_roots = ["/a", "/b"]\nexclude_slash_tmp = true',
      { overrides: ['sandbox_workspace_write.writable_roots=["/c"]'] },
    );
    expect(config.policy.sandbox.network).toBe(true);
    expect(config.policy.sandbox.writableRoots).toEqual([join(folder, 'work'), '/c']);
  });

  test('-c accepts TOML values, dotted and quoted keys, and plain words as strings', () => {
    const config = load('', {
      overrides: ['model_providers.x.http_headers={"X-A" = "1"}', 'model_providers."y z".base_url=http://h/v1'],
    });
    expect(config.modelProviders.x?.headers).toEqual({ 'X-A': '1' });
    expect(config.modelProviders['y z']?.baseUrl).toBe('http://h/v1');
  });
});

describe('mistakes', () => {
  test('a wrong type names the key, the value and the file', () => {
    expect(faultOf('model = 5')).toBe(`model must be a string, not 5 (${join(folder, 'config.toml')}).`);
    expect(faultOf('', { overrides: ['sandbox_mode="off"'] })).toBe(
      'sandbox_mode must be one of "read-only", "workspace-write", "danger-full-access", not "off" (override sandbox_mode).',
    );
    expect(faultOf('model_providers = 1')).toContain('model_providers must be a table, not 1');
    expect(faultOf('sandbox_workspace_write = true')).toContain('sandbox_workspace_write must be a table, not true');
    expect(faultOf(`[projects]\n"${folder}/work" = "trusted"`)).toContain(
      `projects."${folder}/work" must be a table, not "trusted" (${join(folder, 'config.toml')}).`,
    );
    expect(faultOf('model = 2026-01-01')).toContain('model must be a string, not "2026-01-01');
  });

  test('a wrong value that may be a secret is not shown', () => {
    const provider = (key: string) => faultOf(`[model_providers.x]\n${key}`);
    expect(provider('experimental_bearer_token = ["s3cret"]')).toContain('must be a string, not "[hidden]"');
    expect(provider('http_headers = "s3cret"')).toContain('must be a table, not "[hidden]"');
    expect(faultOf('', { overrides: ['model_providers.x.http_headers={A=["s3cret"]}'] })).not.toContain('s3cret');
  });

  test('a broken file says where it is broken', () => {
    const fault = faultOf('model = "x"\nsandbox_mode = = 1');
    expect(fault).toBe(`${join(folder, 'config.toml')} is not valid TOML at line 2, column 16: invalid value.`);
    expect(faultOf('experimental_bearer_token = s3cret')).not.toContain('s3cret');
  });

  test('an override without a key or a value is explained', () => {
    expect(faultOf('', { overrides: ['model'] })).toContain('expected key=value');
    expect(faultOf('', { overrides: ['=x'] })).toContain('expected key=value');
  });

  test('a folder that does not exist is named', () => {
    expect(faultOf('', { cwd: join(folder, 'nowhere') })).toBe(`${join(folder, 'nowhere')} is not a folder.`);
  });
});

describe('settings', () => {
  test('instructions, display and log', () => {
    expect(load('')).toMatchObject({
      verbosity: null,
      modelInstructionsFile: null,
      instructions: null,
      developerInstructions: null,
      logLevel: 'info',
      hideReasoning: false,
      showRawReasoning: false,
      warnings: [],
    });
    const toml = `
      model_verbosity = "low"
      instructions = "be kind"
      developer_instructions = "be quick"
      show_raw_agent_reasoning = true
      log_level = "debug"
      model_providers.a.wire_api = "chat"
      model_providers.b.wire_api = "auto"`;
    expect(load(toml)).toMatchObject({
      verbosity: 'low',
      instructions: 'be kind',
      developerInstructions: 'be quick',
      showRawReasoning: true,
      logLevel: 'debug',
      modelProviders: { a: { wire: 'chat' }, b: { wire: 'auto' } },
      warnings: [],
    });
  });

  test('compat: differences of a server from its protocol', () => {
    const toml = `
      [model_providers.x.compat]
      instructions = "item"
      parallel_tool_calls = false
      thinking = "open"
      text_calls = false
      html_entities = true
      call_ids = "nine"
      send_reasoning = "none"`;
    expect(load(toml)).toMatchObject({ warnings: [] });
    expect(load(toml).modelProviders.x?.compat).toEqual({
      instructions: 'item',
      parallelToolCalls: false,
      thinking: 'open',
      textCalls: false,
      htmlEntities: true,
      callIds: 'nine',
      sendReasoning: 'none',
    });
    const requests = `
      [model_providers.x.compat]
      developer_role = "system"
      system_messages = "one"
      alternate_roles = true
      drop_fields = ["store"]
      max_tokens = "max_tokens"
      tool_choice = "auto"
      tool_order = "strict"
      empty_content = "null"
      tool_images = "user"
      schemas = ["plain", "no_patterns"]
      tool_names = "plain"
      max_stops = 4`;
    expect(load(requests)).toMatchObject({ warnings: [] });
    expect(load(requests).modelProviders.x?.compat).toEqual({
      developerRole: 'system',
      systemMessages: 'one',
      alternateRoles: true,
      dropFields: ['store'],
      maxTokens: 'max_tokens',
      toolChoice: 'auto',
      toolOrder: 'strict',
      emptyContent: 'null',
      toolImages: 'user',
      schemas: ['plain', 'no_patterns'],
      toolNames: 'plain',
      maxStops: 4,
    });
    expect(load('model_providers.x.compat.call_ids = "any"').modelProviders.x?.compat).toEqual({ callIds: 'any' });
    const images = (written: boolean) =>
      load(`model_providers.x.compat.output_images = ${written}`).modelProviders.x?.compat;
    expect([images(true), images(false)]).toEqual([{ toolImages: 'as_sent' }, { toolImages: 'user' }]);
  });

  test.each([
    ['thinking = "yes"', 'thinking must be one of "tags", "open", "text", not "yes"'],
    ['text_calls = 1', 'text_calls must be true or false, not 1'],
    ['html_entities = "no"', 'html_entities must be true or false, not "no"'],
    ['call_ids = 9', 'call_ids must be one of "any", "nine", not 9'],
    ['schemas = ["odd"]', 'schemas must be a list of "typed_branches", "plain", "no_patterns", not ["odd"]'],
    ['send_reasoning = true', 'send_reasoning must be one of "turn", "all", "none", not true'],
  ])('compat.%s is refused', (line, sentence) => {
    const fault = faultOf(`[model_providers.x.compat]\n${line}`);
    expect(fault).toBe(`model_providers.x.compat.${sentence} (${join(folder, 'config.toml')}).`);
  });

  test('a relative path of instructions starts at the folder of the file that names it', () => {
    expect(load('model_instructions_file = "my/base.md"').modelInstructionsFile).toBe(join(folder, 'my', 'base.md'));
    const override = { overrides: ['model_instructions_file=base.md'] };
    expect(load('', override).modelInstructionsFile).toBe(join(folder, 'work', 'base.md'));
  });

  test.each([
    ['"never"', 'never'],
    ['"on-request"', 'on-request'],
    ['"on-failure"', 'on-failure'],
    ['"untrusted"', 'untrusted'],
    ['{ granular = {} }', { sandbox: true, rules: true, mcp: true }],
    ['{ granular = { rules = false, skill_approval = true } }', { sandbox: true, rules: false, mcp: true }],
    [
      '{ granular = { sandbox_approval = false, mcp_elicitations = false, request_permissions = true } }',
      { sandbox: false, rules: true, mcp: false },
    ],
  ])('approval_policy = %s', (value, approval) => {
    const { policy, warnings } = load(`approval_policy = ${value}`);
    expect(policy.approval).toEqual(approval);
    expect(warnings).toEqual([]);
  });

  test('a name on the command line replaces a table, and a table replaces a name', () => {
    const table = 'approval_policy = { granular = { rules = false } }';
    expect(load(table, { settings: { approval_policy: 'never' } }).policy.approval).toBe('never');
    const over = { overrides: ['approval_policy={ granular = { rules = false } }'] };
    expect(load('approval_policy = "never"', over).policy.approval).toMatchObject({ rules: false, sandbox: true });
  });

  test.each([
    ['"sometimes"', 'approval_policy must be one of "untrusted", "on-failure", "on-request", "never", not "sometimes"'],
    ['{ rules = true }', 'approval_policy must be a name, or a table { granular = { … } }, not {"rules":true}'],
    ['{ granular = { rules = "no" } }', 'approval_policy.granular.rules must be true or false, not "no"'],
  ])('approval_policy = %s is refused', (value, sentence) => {
    expect(faultOf(`approval_policy = ${value}`)).toBe(`${sentence} (${join(folder, 'config.toml')}).`);
  });

  test('files, sockets and hosts that commands may not reach', () => {
    const env = { OXBOW_HOME: folder, HOME: '/home/me' };
    const { policy } = load(
      'deny_read = ["~/.ssh", "/etc/shadow", "secret"]\nunix_sockets = "private"\ndestructive_patches = "allow"\nsandbox_workspace_write.allowed_domains = ["a.org", "*.b.org"]',
      { env },
    );
    expect(policy.sandbox).toMatchObject({
      denyRead: ['/home/me/.ssh', '/etc/shadow', join(folder, 'secret')],
      unixSockets: 'private',
      allowedDomains: ['a.org', '*.b.org'],
      home: folder,
      keyFiles: [folder, '/home/me/.oxbow', '/home/me/.codex'].flatMap((home) => [
        join(home, 'auth.json'),
        join(home, 'auth.json.refresh'),
        join(home, 'accounts'),
        join(home, '.credentials.json'),
      ]),
    });
    expect(policy.destructivePatches).toBe('allow');
    expect(load('').policy.destructivePatches).toBe('ask');
    expect(Object.keys(load('').policy.sandbox)).toEqual(['mode', 'writableRoots', 'network', 'home', 'keyFiles']);
    expect(faultOf('unix_sockets = "allow"')).toContain('unix_sockets must be one of "deny", "private"');
    expect(faultOf('destructive_patches = true')).toContain('destructive_patches must be one of "ask", "allow"');
  });

  test('deny_read without a sandbox causes a warning', () => {
    const { warnings } = load('deny_read = ["/x"]\nsandbox_mode = "danger-full-access"');
    expect(warnings).toEqual([
      'deny_read has no effect with sandbox_mode = "danger-full-access": commands can read these files.',
    ]);
  });
});

describe('defaults', () => {
  test('commands may only read until the project is trusted', () => {
    const root = join(folder, 'work');
    expect(load('', { cwd: join(root, 'deep') }).policy.sandbox.mode).toBe('read-only');
    const trusted = load(`[projects."${root}"]\ntrust_level = "trusted"`, { cwd: join(root, 'deep') });
    expect(trusted.policy.sandbox.mode).toBe('workspace-write');
    expect(trusted.project).toEqual({ root, trusted: true, isDecided: true, sandboxByTrust: true });
    const given = load('sandbox_mode = "read-only"', { cwd: root });
    expect(given.project).toEqual({ root, trusted: false, isDecided: false, sandboxByTrust: false });
  });

  test('the working folder, --add-dir, /tmp and TMPDIR are writable', () => {
    const config = load('', { env: { OXBOW_HOME: folder, TMPDIR: '/var/tmp' }, addDirs: ['../other'] });
    expect(config.policy.sandbox.writableRoots).toEqual([
      join(folder, 'work'),
      join(folder, 'other'),
      '/tmp',
      '/var/tmp',
    ]);
  });

  test('a path may begin with ~', () => {
    const env = { OXBOW_HOME: folder, HOME: '/home/me' };
    const config = load('model_instructions_file = "~/x.md"\nsandbox_workspace_write.writable_roots = ["~/a", "~b"]', {
      env,
    });
    expect(config.modelInstructionsFile).toBe('/home/me/x.md');
    expect(config.policy.sandbox.writableRoots).toContain('/home/me/a');
    expect(config.policy.sandbox.writableRoots).toContain(join(folder, 'work', '~b'));
  });

  test('the home is OXBOW_HOME, else CODEX_HOME, else ~/.oxbow', () => {
    const home = (env: Record<string, string>) => loadConfig({ env, cwd: folder }).home;
    expect(home({ OXBOW_HOME: '/a', CODEX_HOME: '/b', HOME: '/c' })).toBe('/a');
    expect(home({ CODEX_HOME: '/b', HOME: '/c' })).toBe('/b');
    expect(home({ HOME: '/c' })).toBe('/c/.oxbow');
  });

  test('the configuration cannot be changed', () => {
    expect(Object.isFrozen(load(''))).toBe(true);
  });
});
