import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CLIENTS } from '../clients/index.ts';
import { makeChange, planChange } from './write-setup.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'setup-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const FACTS = { url: 'http://127.0.0.1:4141', keyEnv: undefined, models: ['big'] };

function fileOf(client: string, env = {}) {
  const file = CLIENTS.get(client)?.setup(FACTS, { HOME: home, ...env }).file;
  if (file === undefined) throw new Error(`${client} has no file`);
  return file;
}

/** Writes an old file, applies the settings, and returns the new text. */
function applied(client: string, before: string): string {
  const file = fileOf(client);
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(file.path, before);
  makeChange(file, planChange(file, home));
  const { before: now, after } = planChange(file, home);
  expect(after).toBe(now);
  return now;
}

const WITH_FILE = [...CLIENTS.keys()].filter((name) => CLIENTS.get(name)?.setup(FACTS, { HOME: '/x' }).file);

test.each(WITH_FILE)('a file of %s is made, and a second time changes nothing', (client) => {
  const file = fileOf(client);
  expect(makeChange(file, planChange(file, home))).toBeUndefined();
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  const { before, after } = planChange(file, home);
  expect(after).toBe(before);
  expect(before).toContain('http://127.0.0.1:4141');
});

test('the lines and comments of a TOML file stay', () => {
  const before =
    '# mine\nmodel = "gpt-5.5" # best\n\n[model_providers.oxbow]\nname = "old"\n\n[tui] # look\ntheme = "x"\n';
  const table =
    'name = "Oxbow"\nbase_url = "http://127.0.0.1:4141/v1"\nwire_api = "responses"\nsupports_websockets = false';
  expect(applied('codex', before)).toBe(
    `# mine\nmodel = "big" # best\n\nmodel_provider = "oxbow"\n\n[model_providers.oxbow]\n${table}\n\n[tui] # look\ntheme = "x"\n`,
  );
});

test('the lines and comments of a JSON file stay', () => {
  const before = '// Zed settings\n{\n  "theme": "One Dark", // dark\n  "vim_mode": true,\n}\n';
  const after = applied('zed', before);
  expect(
    after.startsWith('// Zed settings\n{\n  "theme": "One Dark", // dark\n  "vim_mode": true,\n  "language_models"'),
  ).toBe(true);
});

test('a copy of the old file is kept, with its mode', () => {
  const file = fileOf('claude');
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(file.path, '{"env": {"A": "1"}}');
  chmodSync(file.path, 0o640);
  const copy = makeChange(file, planChange(file, home)) ?? '';
  expect(readFileSync(copy, 'utf8')).toBe('{"env": {"A": "1"}}');
  expect([copy, file.path].map((path) => statSync(path).mode & 0o777)).toEqual([0o640, 0o640]);
  writeFileSync(file.path, '{}');
  expect(makeChange(file, planChange(file, home))).toBe(`${copy}-2`);
  expect(readdirSync(dirname(file.path)).sort()).toEqual([
    'settings.json',
    'settings.json.before-oxbow',
    'settings.json.before-oxbow-2',
  ]);
});

test('a link inside the folder of the user is followed and stays, one that leads out is refused', () => {
  const file = fileOf('claude');
  mkdirSync(join(home, 'dotfiles'));
  mkdirSync(dirname(file.path));
  writeFileSync(join(home, 'dotfiles', 'claude.json'), '{}');
  symlinkSync(join(home, 'dotfiles', 'claude.json'), file.path);
  makeChange(file, planChange(file, home));
  expect(readFileSync(join(home, 'dotfiles', 'claude.json'), 'utf8')).toContain('ANTHROPIC_BASE_URL');
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  try {
    writeFileSync(join(outside, 'x.json'), '{}');
    rmSync(file.path);
    symlinkSync(join(outside, 'x.json'), file.path);
    expect(() => planChange(file, home)).toThrow('is a link to');
    rmSync(dirname(file.path), { recursive: true });
    symlinkSync(outside, dirname(file.path));
    expect(() => planChange(file, home)).toThrow('is a link to');
    const moved = fileOf('claude', { CLAUDE_CONFIG_DIR: outside });
    expect(planChange(moved, home).after).toContain('ANTHROPIC_BASE_URL');
    symlinkSync(join(home, 'none'), moved.path);
    expect(() => planChange(moved, home)).toThrow('is a link to nothing');
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test.each([
  ['claude', '[]', 'has another form than expected'],
  ['claude', '{"env": "x"}', 'has another form than expected'],
  ['claude', '{"env": ', 'has another form than expected'],
  ['codex', 'model = ', 'config.toml'],
  ['codex', 'model_providers = 1', 'config.toml'],
  ['continue', 'models: []\n', 'is YAML, which is not changed here'],
  ['zed', Buffer.from([0x7b, 0xff, 0x7d]), 'is not a text in UTF-8'],
])('a file of %s that holds %j is left alone', (client, text, sentence) => {
  const file = fileOf(client);
  mkdirSync(dirname(file.path), { recursive: true });
  writeFileSync(file.path, text);
  expect(() => planChange(file, home)).toThrow(sentence);
  expect(readFileSync(file.path)).toEqual(Buffer.from(text as string));
});

test('a file that changes in between is left alone', () => {
  const file = fileOf('claude');
  const planned = planChange(file, home);
  mkdirSync(dirname(file.path));
  writeFileSync(file.path, '{"a": 1}');
  expect(() => makeChange(file, planned)).toThrow('was changed by another program');
  expect(readdirSync(dirname(file.path))).toEqual(['settings.json']);
  expect(readFileSync(file.path, 'utf8')).toBe('{"a": 1}');
});
