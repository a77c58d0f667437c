import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { explainConfig } from '../explain-config.ts';
import { type LoadOptions, loadConfig } from '../load-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-gateway-'));
  mkdirSync(join(folder, 'work', '.git'), { recursive: true });
  writeFileSync(join(folder, 'work', '.git', 'HEAD'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function options(toml: string, more: LoadOptions = {}): LoadOptions {
  writeFileSync(join(folder, 'config.toml'), toml);
  return { env: { OXBOW_HOME: folder }, cwd: join(folder, 'work'), systemFile: join(folder, 'none'), ...more };
}

const load = (toml: string, more?: LoadOptions) => loadConfig(options(toml, more));

test('without settings it listens on this machine only, wants no key and has no target', () => {
  expect(load('').gateway).toEqual({
    host: '127.0.0.1',
    port: 4141,
    keyEnv: [],
    provider: null,
    model: null,
    models: {},
    aliases: {},
    singleCall: false,
    limits: {
      maxBodyBytes: null,
      maxBodiesBytes: null,
      maxAnswersBytes: null,
      maxExchanges: null,
      maxExchangeMs: null,
      idleTimeoutMs: null,
    },
    store: { ttlMs: 3_600_000, maxEntries: 1000, maxBytes: 268_435_456 },
  });
});

test('everything can be set', () => {
  const { gateway, warnings } = load(`
    [gateway]
    host = "::1"
    port = 0
    key_env = ["ONE", "TWO"]
    provider = "mine"
    model = "big"
    max_body_bytes = 1
    max_bodies_bytes = 5
    max_answers_bytes = 8
    max_exchanges = 2
    max_exchange_ms = 3
    idle_timeout_ms = 4
    store_ttl_ms = 5
    store_max_entries = 6
    store_max_bytes = 7
    [gateway.models]
    short = "mine/a/b"
    same = { provider = "mine" }
    "with.dots" = { provider = "mine", model = "other" }
    [gateway.aliases]
    "gpt-5.5" = "short"`);
  expect(warnings).toEqual([]);
  expect(gateway).toEqual({
    host: '::1',
    port: 0,
    keyEnv: ['ONE', 'TWO'],
    provider: 'mine',
    model: 'big',
    models: {
      short: { provider: 'mine', model: 'a/b' },
      same: { provider: 'mine', model: 'same' },
      'with.dots': { provider: 'mine', model: 'other' },
    },
    aliases: { 'gpt-5.5': 'short' },
    singleCall: false,
    limits: {
      maxBodyBytes: 1,
      maxBodiesBytes: 5,
      maxAnswersBytes: 8,
      maxExchanges: 2,
      maxExchangeMs: 3,
      idleTimeoutMs: 4,
    },
    store: { ttlMs: 5, maxEntries: 6, maxBytes: 7 },
  });
});

test('the provider and model of the agent serve the gateway too, the model only with its provider', () => {
  const agent = 'model_provider = "mine"\nmodel = "big"\n';
  expect(load(agent).gateway).toMatchObject({ provider: 'mine', model: 'big' });
  expect(load(`${agent}[gateway]\nprovider = "other"`).gateway).toMatchObject({ provider: 'other', model: null });
  expect(load(`${agent}[gateway]\nmodel = "small"`).gateway).toMatchObject({ provider: 'mine', model: 'small' });
});

test('a single variable with a key needs no list', () => {
  expect(load('gateway.key_env = "ONE"').gateway.keyEnv).toEqual(['ONE']);
});

test.each([
  ['port = 70000', 'port must be a whole number from 0 to 65535, not 70000'],
  ['port = "80"', 'port must be a whole number from 0 to 65535, not "80"'],
  ['port = 1.5', 'port must be a whole number from 0 to 65535, not 1.5'],
  ['key_env = 5', 'key_env must be a list of strings, not 5'],
  ['models.x = "big"', 'models.x must be "provider/model", or a table with `provider` and `model`, not "big"'],
  ['models.x = "/big"', 'models.x must be "provider/model", or a table with `provider` and `model`, not "/big"'],
  [
    'models.x.model = "big"',
    'models.x must be "provider/model", or a table with `provider` and `model`, not {"model":"big"}',
  ],
  ['aliases.x = 1', 'aliases.x must be a string, not 1'],
])('gateway.%s is refused', (line, sentence) => {
  expect(() => load(`[gateway]\n${line}`)).toThrow(`gateway.${sentence} (${join(folder, 'config.toml')}).`);
});

test('an unknown key is named', () => {
  expect(load('[gateway]\nprot = 1').warnings).toEqual([
    `Unknown settings were ignored: gateway.prot (did you mean gateway.port?) in ${join(folder, 'config.toml')}.`,
  ]);
});

test('a project may not say where requests go', () => {
  const project = join(folder, 'work', '.oxbow');
  mkdirSync(project);
  writeFileSync(join(project, 'config.toml'), 'gateway.host = "0.0.0.0"\ngateway.models.x = "evil/x"');
  const { gateway, warnings } = load(`projects."${join(folder, 'work')}".trust_level = "trusted"`);
  expect(gateway).toMatchObject({ host: '127.0.0.1', models: {} });
  expect(warnings.join()).toContain('gateway in ');
});

test('oxbow config shows the settings of the gateway with their origins', () => {
  const { settings } = explainConfig(options('[gateway.models]\nshort = "mine/a"\nlong = { provider = "mine" }'));
  const found = Object.fromEntries(settings.map(({ key, value, origin }) => [key, { value, origin }]));
  const origin = join(folder, 'config.toml');
  expect(found['gateway.models.short']).toEqual({ value: 'mine/a', origin });
  expect(found['gateway.models.long']).toEqual({ value: { provider: 'mine' }, origin });
  expect(found['gateway.port']).toEqual({ value: 4141, origin: 'default' });
});
