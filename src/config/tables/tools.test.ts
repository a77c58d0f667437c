import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { createWorkspace, type TempWorkspace } from '../../testing/index.ts';
import { explainConfig } from '../explain-config.ts';
import { type LoadOptions, loadConfig } from '../load-config.ts';

let workspace: TempWorkspace;
beforeEach(() => {
  workspace = createWorkspace();
});
afterEach(() => workspace.dispose());

function optionsOf(toml: string, more: LoadOptions = {}): LoadOptions {
  workspace.configure(toml);
  const env = { HOME: '/nowhere', OXBOW_HOME: workspace.home };
  return { env, cwd: workspace.path, systemFile: '/nowhere/config.toml', ...more };
}

const load = (toml: string, ...overrides: string[]) => loadConfig(optionsOf(toml, { overrides }));
const tools = (toml: string, ...overrides: string[]) => load(toml, ...overrides).tools;

function faultOf(toml: string): string {
  try {
    load(toml);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

test('without settings, most of them depend on the model', () => {
  expect(tools('')).toEqual({
    command: null,
    shellOutput: null,
    applyPatch: null,
    viewImage: null,
    updatePlan: true,
    webSearch: { mode: null, command: null, contextSize: null, allowedDomains: [], location: {} },
    mcp: expect.objectContaining({ servers: [] }),
    maxPollMs: 300_000,
    maxTerminals: 256,
  });
});

test.each(['exec_command', 'shell', 'shell_command', 'local_shell', 'unified_exec'])(
  'commands can be run by %s',
  (name) => {
    expect(tools(`tools.command = "${name}"`).command).toBe(name);
  },
);

test.each([
  ['shell_output = "text"', { shellOutput: 'text' }],
  ['shell_output = "json"', { shellOutput: 'json' }],
  ['apply_patch = "freeform"', { applyPatch: 'freeform' }],
  ['apply_patch = "function"', { applyPatch: 'function' }],
  ['apply_patch = true', { applyPatch: true }],
  ['apply_patch = false', { applyPatch: false }],
  ['view_image = false', { viewImage: false }],
  ['view_image.enabled = false', { viewImage: false }],
  ['view_image = {}', { viewImage: true }],
  ['update_plan = false', { updatePlan: false }],
  ['update_plan.enabled = false', { updatePlan: false }],
  ['update_plan = {}', { updatePlan: true }],
])('[tools] %s', (line, expected) => {
  expect(tools(`[tools]\n${line}`)).toMatchObject(expected);
});

test('an older name counts where the newer one is not set', () => {
  const older = `
    include_plan_tool = false
    include_apply_patch_tool = false
    include_view_image_tool = false
    tools_web_search_request = false`;
  const off = { updatePlan: false, applyPatch: false, viewImage: false, webSearch: { mode: 'disabled' } };
  expect(tools(older)).toMatchObject(off);
  const newer = `${older}
    [tools]
    update_plan = true
    apply_patch = "function"
    view_image = true
    web_search = true`;
  expect(tools(newer)).toMatchObject({
    updatePlan: true,
    applyPatch: 'function',
    viewImage: true,
    webSearch: { mode: 'live' },
  });
});

test('the number of commands that run at once is a setting', () => {
  expect(tools('').maxTerminals).toBe(256);
  expect(tools('tools.max_terminals = 3').maxTerminals).toBe(3);
});

test('the longest poll has the same key as in Codex', () => {
  expect(tools('background_terminal_max_timeout = 1000').maxPollMs).toBe(1000);
});

test.each([
  ['tools.command = "bash"', 'tools.command must be one of "exec_command", "shell", "shell_command", '],
  ['tools.shell_output = "xml"', 'tools.shell_output must be one of "json", "text", not "xml"'],
  ['tools.apply_patch = "yes"', 'tools.apply_patch must be "freeform", "function", true or false, not "yes"'],
  ['tools.view_image = 1', 'tools.view_image must be true, false or a table with `enabled`, not 1'],
  ['tools.update_plan = "no"', 'tools.update_plan must be true, false or a table with `enabled`, not "no"'],
  ['web_search = "always"', 'web_search must be one of "disabled", "cached", "indexed", "live", not "always"'],
  ['tools.web_search = "live"', 'tools.web_search must be a table, not "live"'],
  ['tools.web_search.command = ["s"]', 'must be a program and its words, one of which holds {query}, not ["s"]'],
  ['tools.web_search.command = ["{query}", "{query}"]', 'must be a program and its words'],
  ['tools.web_search.command = "s {query}"', 'tools.web_search.command must be a list of strings'],
])('%s is refused', (toml, sentence) => {
  expect(faultOf(toml)).toContain(sentence);
});

describe('web_search', () => {
  const search = (toml: string, ...overrides: string[]) => tools(toml, ...overrides).webSearch;

  test.each([
    ['web_search = "cached"', 'cached'],
    ['tools.web_search = true', 'live'],
    ['tools.web_search = false', 'disabled'],
    ['tools.web_search.enabled = true', 'live'],
    ['tools.web_search.mode = "indexed"', 'indexed'],
    ['tools.web_search_request = true', 'live'],
    ['tools_web_search_request = true', 'live'],
    ['web_search = "cached"\ntools.web_search.mode = "live"', 'cached'],
    ['tools.web_search = {mode = "cached", enabled = false}', 'cached'],
    ['tools_web_search_request = true\ntools.web_search = false', 'disabled'],
  ])('%j is the mode %s', (toml, mode) => {
    expect(search(toml).mode).toBe(mode);
  });

  test('a setting that only narrows the search does not switch it on', () => {
    expect(search('tools.web_search.context_size = "low"')).toMatchObject({ mode: null, contextSize: 'low' });
  });

  test('the short form of one layer and the table of another are read together', () => {
    const toml = 'tools.web_search = {command = ["find", "{query}"], allowed_domains = ["a.org"]}';
    expect(search(toml, 'tools.web_search=false')).toMatchObject({
      mode: 'disabled',
      command: ['find', '{query}'],
      allowedDomains: ['a.org'],
    });
    expect(search('tools.web_search = true', 'tools.web_search.location.country=DE')).toMatchObject({
      mode: 'live',
      location: { country: 'DE' },
    });
    expect(search('profile = "p"\n[profiles.p]\ntools.web_search = true').mode).toBe('live');
  });

  test('`oxbow config` shows the table key by key', () => {
    const options = optionsOf('tools.web_search = true', { overrides: ['tools.web_search.context_size=low'] });
    const { settings, warnings } = explainConfig(options);
    expect(warnings).toEqual([]);
    const shown = settings.filter(({ key, origin }) => key.startsWith('tools.web_search') && origin !== 'default');
    expect(shown).toEqual([
      { key: 'tools.web_search.enabled', value: true, origin: join(workspace.home, 'config.toml') },
      { key: 'tools.web_search.context_size', value: 'low', origin: 'override tools.web_search.context_size' },
    ]);
  });

  test('a project may choose the mode, not the command', () => {
    mkdirSync(join(workspace.path, '.codex'));
    const project = (toml: string) => {
      writeFileSync(join(workspace.path, '.codex/config.toml'), toml);
      rmSync(join(workspace.home, 'trust'), { recursive: true, force: true });
      return load(`projects."${workspace.path}".trust_level = "trusted"`);
    };
    const bad = project('tools.web_search = {mode = "live", command = ["evil", "{query}"]}');
    expect(bad.tools.webSearch).toMatchObject({ mode: 'live', command: null });
    expect(bad.warnings.join()).toContain('tools.web_search.command in');
    expect(project('tools.web_search = false')).toMatchObject({
      warnings: [],
      tools: { webSearch: { mode: 'disabled' } },
    });
  });
});
