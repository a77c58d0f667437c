import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace, type TempWorkspace } from '../testing/index.ts';
import { explainConfig } from './explain-config.ts';
import type { LoadOptions } from './load-options.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

function explain(toml: string, { env, ...options }: LoadOptions = {}) {
  workspace.configure(toml);
  const { settings, warnings } = explainConfig({
    env: { HOME: '/nowhere', OXBOW_HOME: workspace.home, ...env },
    cwd: workspace.path,
    systemFile: join(workspace.home, 'system.toml'),
    ...options,
  });
  const rows = new Map(settings.map(({ key, value, origin }) => [key, { value, origin }]));
  expect(rows.size).toBe(settings.length);
  return { rows, warnings };
}

test('nothing is configured: everything is a default', () => {
  const { rows, warnings } = explain('');
  expect(warnings).toEqual([]);
  expect(rows.size).toBeGreaterThan(20);
  expect(new Set([...rows.values()].map(({ origin }) => origin))).toEqual(new Set(['default']));
  expect(rows.get('model')).toEqual({ value: null, origin: 'default' });
  expect(rows.get('model_provider')).toEqual({ value: 'openai', origin: 'default' });
  expect(rows.get('sandbox_mode')).toEqual({ value: 'read-only', origin: 'default' });
});

test('each value has its origin', () => {
  const user = join(workspace.home, 'config.toml');
  const system = join(workspace.home, 'system.toml');
  writeFileSync(system, 'tools.command = "shell"');
  writeFileSync(join(workspace.home, 'p.config.toml'), 'instructions = "file"');
  const project = workspace.write('.codex/config.toml', 'model_verbosity = "low"\nsandbox_mode = "workspace-write"');
  const toml = `
    profile = "other"
    model_reasoning_effort = "low"
    projects."${workspace.path}".trust_level = "trusted"
    projects."/elsewhere".trust_level = "trusted"
    profiles.p.developer_instructions = "table"
    model_providers."my own".base_url = "http://h/v1"`;
  const { rows } = explain(toml, {
    profile: 'p',
    env: { OXBOW_LOG: 'debug' },
    overrides: ['sandbox_mode="read-only"', 'model_providers."my own".compat.instructions=item'],
    settings: { approval_policy: 'never' },
  });
  const set = Object.fromEntries([...rows].filter(([, { origin }]) => origin !== 'default'));
  expect(set).toEqual({
    profile: { value: 'p', origin: 'options' },
    model_reasoning_effort: { value: 'low', origin: user },
    model_verbosity: { value: 'low', origin: project },
    instructions: { value: 'file', origin: join(workspace.home, 'p.config.toml') },
    developer_instructions: { value: 'table', origin: `${user} [profiles.p]` },
    approval_policy: { value: 'never', origin: 'options' },
    sandbox_mode: { value: 'read-only', origin: 'override sandbox_mode' },
    'tools.command': { value: 'shell', origin: system },
    log_level: { value: 'debug', origin: 'the variable OXBOW_LOG' },
    [`projects."${workspace.path}".trust_level`]: { value: 'trusted', origin: user },
    'model_providers."my own".base_url': { value: 'http://h/v1', origin: user },
    'model_providers."my own".compat.instructions': {
      value: 'item',
      origin: 'override model_providers."my own".compat.instructions',
    },
  });
});

test('the older name of a setting explains the newer one', () => {
  const user = join(workspace.home, 'config.toml');
  const { rows } = explain('include_plan_tool = false');
  expect(rows.get('tools.update_plan')).toEqual({ value: false, origin: user });
});

test('secrets are hidden wherever they come from', () => {
  const secret = 's3cret';
  const { rows } = explain(
    `
    openai_base_url = "https://me:${secret}@host/v1"
    [shell_environment_policy.set]
    CI = "1"
    MY_API_KEY = "${secret}"
    [model_providers.x]
    experimental_bearer_token = "${secret}"
    env_key = "MY_KEY"
    query_params = { api-version = "1", sig = "${secret}" }
    http_headers = { Authorization = "${secret}", X-Team = "${secret}" }
    env_http_headers = { Authorization = "MY_KEY" }`,
    { overrides: [`model_providers.y.http_headers.A="${secret}"`] },
  );
  expect(JSON.stringify([...rows])).not.toContain(secret);
  const values = Object.fromEntries([...rows].map(([key, { value }]) => [key, value]));
  expect(values).toMatchObject({
    openai_base_url: 'https://[hidden]@host/v1',
    'shell_environment_policy.set.CI': '1',
    'shell_environment_policy.set.MY_API_KEY': '[hidden]',
    'model_providers.x.experimental_bearer_token': '[hidden]',
    'model_providers.x.env_key': 'MY_KEY',
    'model_providers.x.query_params.api-version': '1',
    'model_providers.x.query_params.sig': '[hidden]',
    'model_providers.x.http_headers.X-Team': '[hidden]',
    'model_providers.x.env_http_headers.Authorization': 'MY_KEY',
    'model_providers.y.http_headers.A': '[hidden]',
  });
});
