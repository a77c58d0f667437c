import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { BARRED_KEYS } from './barred-keys.ts';
import { CODEX_KEYS } from './codex-keys.ts';
import { loadConfig, readConfig } from './load-config.ts';
import { readSources } from './read-sources.ts';
import type { SettingsReader } from './setting/settings-reader.ts';
import { SETTINGS } from './settings-list.ts';
import { findKeysWithoutEffect } from './unknown-keys.ts';
import { explainUnusedKeys, requireGuards } from './unused-keys.ts';

const layer = (toml: string, origin = 'config.toml') => ({ origin, folder: '/', table: parse(toml) });

const unknownKeys = (layers: Parameters<typeof findKeysWithoutEffect>[0]) => findKeysWithoutEffect(layers, []).unknown;

describe('unknown keys', () => {
  test('are listed in one sentence, with their sources', () => {
    const layers = [layer('foo = 1\nmodel = "m"\nsandbox_workspace_write.colour = 2'), layer('x.y = 1', '-c x.y')];
    expect(unknownKeys(layers)).toBe('foo, sandbox_workspace_write.colour in config.toml; x in -c x.y');
  });

  test.each([
    ['modle = "m"', 'modle (did you mean model?)'],
    ['sandbox-mode = "read-only"', 'sandbox-mode (did you mean sandbox_mode?)'],
    ['approvals_policy = "never"', 'approvals_policy (did you mean approval_policy?)'],
    ['[tools]\nupdateplan = true', 'tools.updateplan (did you mean tools.update_plan?)'],
    [
      '[model_providers."a b"]\nbaseurl = ""',
      'model_providers."a b".baseurl (did you mean model_providers."a b".base_url?)',
    ],
    ['network_access = true', 'network_access (did you mean sandbox_workspace_write.network_access?)'],
    ['[model_providers.x]\nsandbox_mode = ""', 'model_providers.x.sandbox_mode (did you mean sandbox_mode?)'],
    ['"tools.command" = "shell"', '"tools.command"'],
    ['colour = "blue"', 'colour'],
  ])('%j: a near miss is pointed out', (toml, said) => {
    expect(unknownKeys([layer(toml)])).toBe(`${said} in config.toml`);
  });

  test('are not reported in tables of free names and in tables of Codex', () => {
    const toml = `
      shell_environment_policy.set.ANYTHING = "x"
      tui.anything.below = 1
      model_providers.any.http_headers.Any = "x"
      [[skills.config]]
      path = "/x"`;
    expect(unknownKeys([layer(toml)])).toBeUndefined();
  });
});

test.each([
  ['model_providers.x.supports_websockets = false', 0],
  ['model_providers.x.supports_websockets = true', 1],
])('%s: a key without effect is named only if something else happens than it asks for', (toml, count) => {
  expect(findKeysWithoutEffect([layer(toml)], []).unused).toHaveLength(count);
});

describe('a config.toml made for Codex', () => {
  const load = (more: object) =>
    loadConfig({ env: { HOME: '/nowhere' }, cwd: '/', settings: { ...parse(CODEX_CONFIG), ...more } });

  test('is read, and one warning names each key without effect', () => {
    const { warnings, unused } = load({});
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^These settings of Codex have no effect here: .*, agents, .* in options\. docs/);
    const named = unused.filter(({ guards, quiet }) => !guards && !quiet).map(({ key }) => key);
    expect(unused.filter(({ quiet }) => quiet).map(({ key }) => key)).toEqual(
      expect.arrayContaining(['tui.keymap', 'notice']),
    );
    expect(named).toEqual(expect.arrayContaining(['features.multi_agent', 'model_providers.proxy.aws']));
    for (const key of named) expect(warnings[0]?.split(/[ ,;]+/).filter((word) => word === key)).toHaveLength(1);
    expect(named).not.toContain('profiles');
  });

  test('does not run without its guards, until they are ignored', () => {
    expect(() => requireGuards(load({}))).toThrow(
      /^hooks in options guards something, .* permissions in options .* or set ignored_keys = \["hooks", "permissions"\] in your config\.toml\.$/,
    );
    expect(() => requireGuards(load({ ignored_keys: ['tui', 'hooks'] }))).toThrow(/\["tui", "hooks", "permissions"\]/);
    requireGuards(load({ ignored_keys: ['hooks', 'permissions'] }));
  });

  test('says what to do about each key', () => {
    const config = load({});
    const texts = explainUnusedKeys(config);
    for (const { key } of config.unused) expect(texts.join('\n')).toContain(`${key} in options `);
    expect(texts).toContain(
      'tui.keymap in options has no effect. This is about the screens of Codex. Leave it for Codex; docs/terminal.md has the settings of ours.',
    );
  });
});

test('an ignored key hides the keys below it, known to Codex or to nobody', () => {
  const layers = [layer('features.a = true\nfeatures_too = 1\nfoo.bar = 1\ntui.x = 1\ntools.colour = 1')];
  const { unused, unknown } = findKeysWithoutEffect(layers, ['features', 'tools.colour', 'foo']);
  expect(unused.map(({ key }) => key)).toEqual(['tui.x']);
  expect(unknown).toBe('features_too in config.toml');
});

test.each([
  ['multi_agent = true', ['features.multi_agent']],
  ['multi_agent = false', []],
  ['multi_agent_v2 = { enabled = true }', ['features.multi_agent_v2']],
  ['unified_exec = true', []],
  ['unified_exec = false', ['features.unified_exec']],
])('of the features of Codex, those are named that ask for a change: %s', (feature, keys) => {
  const { unused } = findKeysWithoutEffect([layer(`[features]\n${feature}`)], []);
  expect(unused.map(({ key }) => key)).toEqual(keys);
});

test('hooks guard nothing where the user has switched them off', () => {
  const { unused } = findKeysWithoutEffect([layer('[hooks]\nStop = []\n[features]\nhooks = false')], []);
  expect(unused).toEqual([]);
});

test('no key of Codex is listed twice, and none that is a setting', () => {
  const listed = Object.values(CODEX_KEYS).flat();
  expect(listed.filter((key, index) => listed.indexOf(key) < index)).toEqual([]);
  expect(listed.filter((key) => SETTINGS.some((setting) => setting.key === key))).toEqual([]);
});

describe('the list of settings', () => {
  const keys = SETTINGS.map(({ key }) => key);

  test('has every key that is read', () => {
    const read = keysRead();
    expect(read.size).toBeGreaterThan(20);
    const known = new Set(
      keys.flatMap((key) => key.split('.').map((_, end, names) => names.slice(0, end + 1).join('.'))),
    );
    expect([...read].filter((key) => !known.has(key))).toEqual([]);
  });

  test('has nothing that is not read', () => {
    const read = keysRead();
    expect(keys.filter((key) => !read.has(key.replace(/\.\*$/, '')))).toEqual([]);
  });

  test('is what the tables of docs/configuration.md are written from', () => {
    const script = fileURLToPath(new URL('../../scripts/write-settings.mjs', import.meta.url));
    const { stderr, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  test('has the keys that a project may not set, or Codex has them', () => {
    const known = [...keys, ...Object.values(CODEX_KEYS).flat(), 'profiles'];
    const barred = Object.values(BARRED_KEYS).flat();
    const isIn = (key: string) => known.some((name) => name === key || name.startsWith(`${key}.`));
    expect(barred.filter((key) => !isIn(key) && !isIn(key.replace(/[^.]+$/, '*')))).toEqual([]);
  });
});

/** Returns the keys that are read after the sources were put together. A name that the user chooses is `*`. */
function keysRead(): Set<string> {
  const read = new Set<string>(READ_EARLIER);
  const settings = {
    model_providers: { any: {} },
    model_prices: { any: { input: 0, output: 0 } },
    models: { any: {} },
    mcp_servers: { any: { command: 'x', tools: { any: {} } } },
  };
  const sources = readSources({ env: { HOME: '/nowhere' }, cwd: '/', systemFile: '/nowhere', settings });
  const record = (path: readonly string[]) =>
    read.add(path.join('.').replace(/(^model_providers|^model_prices|^models|^mcp_servers|\.tools)\.any/g, '$1.*'));
  const recording: SettingsReader = {
    ...sources.settings,
    found(path) {
      record(path);
      return sources.settings.found(path);
    },
    keys(path) {
      record(path);
      return sources.settings.keys(path);
    },
  };
  readConfig({ ...sources, settings: recording }, []);
  return read;
}

/** Keys that decide which sources there are. */
const READ_EARLIER = ['profile', 'projects.*.trust_level'];

const CODEX_CONFIG = `
#:schema https://developers.openai.com/codex/config-schema.json
model = "gpt-5.5"
review_model = "gpt-5.5"
model_provider = "proxy"
model_reasoning_effort = "high"
plan_mode_reasoning_effort = "xhigh"
model_reasoning_summary = "detailed"
model_verbosity = "medium"
model_context_window = 272000
model_auto_compact_token_limit = 220000
model_supports_reasoning_summaries = true
personality = "pragmatic"
service_tier = "flex"
approval_policy = { granular = { sandbox_approval = true, rules = true, mcp_elicitations = false } }
approvals_reviewer = "user"
sandbox_mode = "workspace-write"
allow_login_shell = false
notify = ["notify-send", "Codex"]
developer_instructions = "Prefer small commits."
project_doc_max_bytes = 65536
project_doc_fallback_filenames = ["CLAUDE.md"]
project_root_markers = [".git", ".hg"]
tool_output_token_limit = 12000
background_terminal_max_timeout = 300000
hide_agent_reasoning = false
show_raw_agent_reasoning = true
file_opener = "vscode"
web_search = "live"
check_for_update_on_startup = false
disable_response_storage = true
cli_auth_credentials_store = "file"
forced_login_method = "api"
windows_wsl_setup_acknowledged = true
suppress_unstable_features_warning = true

[sandbox_workspace_write]
writable_roots = ["/home/me/.cache"]
network_access = true
exclude_tmpdir_env_var = false
exclude_slash_tmp = false

[shell_environment_policy]
inherit = "core"
ignore_default_excludes = false
exclude = ["AWS_*"]
set = { CI = "1" }
include_only = ["PATH", "HOME"]
experimental_use_profile = false

[history]
persistence = "save-all"
max_bytes = 5242880

[tools]
web_search = { context_size = "medium", allowed_domains = ["docs.python.org"] }
view_image = true
update_plan = { enabled = true }

[tui]
notifications = ["agent-turn-complete"]
theme = "catppuccin-mocha"
[tui.keymap.global]
open_transcript = "ctrl-t"
[tui.model_availability_nux]
"gpt-5.5" = 4

[features]
multi_agent = true
shell_snapshot = true
unified_exec = true

[notice]
hide_full_access_warning = true
[notice.model_migrations]
"gpt-5.4" = "gpt-5.5"

[model_providers.proxy]
name = "Proxy"
base_url = "https://proxy.example/v1"
wire_api = "responses"
env_key = "PROXY_KEY"
env_key_instructions = "Ask the platform team."
query_params = { api-version = "2025-04-01-preview" }
http_headers = { "X-Team" = "tools" }
env_http_headers = { "X-Trace" = "TRACE_ID" }
request_max_retries = 4
stream_max_retries = 10
stream_idle_timeout_ms = 300000
requires_openai_auth = false
supports_websockets = false
[model_providers.proxy.aws]
profile = "x"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
env = { DOCS_TOKEN = "x" }
startup_timeout_sec = 20
[mcp_servers.figma]
url = "https://mcp.example/mcp"
bearer_token_env_var = "FIGMA_TOKEN"

[profiles.deep]
model = "gpt-5-pro"
approval_policy = "never"

[projects."/home/me/work"]
trust_level = "trusted"
[projects."/home/me/other"]
trust_level = "untrusted"

[agents]
max_threads = 4
[agents.reviewer]
config_file = "./agents/reviewer.toml"

[[skills.config]]
path = "/home/me/.codex/skills/x/SKILL.md"
enabled = false

[[hooks.PreToolUse]]
matcher = "^exec_command$"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "check-it"

[plugins."docs@market"]
enabled = true
[marketplaces.market]
source = "https://market.example"
[memories]
use_memories = false
[permissions.mine.network]
enabled = true
[otel]
exporter = "none"
[analytics]
enabled = false
[feedback]
enabled = false
`;
