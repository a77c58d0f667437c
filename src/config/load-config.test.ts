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

  test('-c takes TOML values, dotted and quoted keys, and plain words as strings', () => {
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
      'sandbox_mode must be one of "read-only", "workspace-write", "danger-full-access", not "off" (-c sandbox_mode="off").',
    );
    expect(faultOf('model_providers = 1')).toContain('model_providers must be a table, not 1');
  });

  test('a broken file says where it is broken', () => {
    const fault = faultOf('model = "x"\nsandbox_mode = = 1');
    expect(fault).toContain(`${join(folder, 'config.toml')} is not valid TOML.`);
    expect(fault).toContain('2:');
  });

  test('an override without a key or a value is explained', () => {
    expect(faultOf('', { overrides: ['model'] })).toContain('expected key=value');
    expect(faultOf('', { overrides: ['=x'] })).toContain('expected key=value');
  });

  test('a folder that does not exist is named', () => {
    expect(faultOf('', { cwd: join(folder, 'nowhere') })).toBe(`${join(folder, 'nowhere')} is not a folder.`);
  });
});

describe('defaults', () => {
  test('commands may only read until the project is trusted', () => {
    const root = join(folder, 'work');
    expect(load('', { cwd: join(root, 'deep') }).policy.sandbox.mode).toBe('read-only');
    const trusted = load(`[projects."${root}"]\ntrust_level = "trusted"`, { cwd: join(root, 'deep') });
    expect(trusted.policy.sandbox.mode).toBe('workspace-write');
    expect(trusted.project).toEqual({ root, trusted: true });
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
