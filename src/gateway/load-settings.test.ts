import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { loadConfig } from '../config/load-config.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { loadSettings, type Upstream, type UpstreamProvider } from './load-settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ENV = { ONE: ' key-one ', TWO: 'key-two', BLANK: ' ', UP: 'up-key', MINE_KEY: 'mine-key' };
const MINE = '[model_providers.mine]\nbase_url = "http://mine/v1"\nwire_api = "chat"\nenv_key = "MINE_KEY"\n';

function load(toml: string, upstream?: Upstream | UpstreamProvider) {
  writeFileSync(join(folder, 'config.toml'), toml);
  const config = loadConfig({ env: { OXBOW_HOME: folder, ...ENV }, cwd: folder, systemFile: join(folder, 'none') });
  return loadSettings(config, upstream === undefined ? {} : { upstream });
}

/** Returns the target of a name, as `provider model`. */
function way({ targets }: ReturnType<typeof load>, name: string): string | undefined {
  const target = targets.find(name);
  return target && `${target.provider.id} ${target.model}`;
}

describe('models of the configuration', () => {
  test("an entry names the provider and the provider's name of the model", () => {
    const settings = load(`${MINE}[gateway.models]\nfast = "mine/small/one"\nbig = { provider = "groq", model = "b" }`);
    expect(way(settings, 'fast')).toBe('mine small/one');
    expect(way(settings, 'big')).toBe('groq b');
    expect(way(settings, 'small/one')).toBeUndefined();
    expect(way(settings, 'constructor')).toBeUndefined();
    expect(settings.targets.names).toEqual(['fast', 'big']);
    expect(settings.targets.find('fast')?.provider).toMatchObject({ baseUrl: 'http://mine/v1', wire: 'chat' });
  });

  test('an alias is a further name', () => {
    const settings = load(`${MINE}[gateway.models]\nfast = "mine/small"\n[gateway.aliases]\n"gpt-5.5" = "fast"`);
    expect(way(settings, 'gpt-5.5')).toBe('mine small');
    expect(settings.targets.names).toEqual(['fast', 'gpt-5.5']);
  });

  test('names without an entry are passed on to the configured provider', () => {
    const settings = load(`model_provider = "mine"\nmodel = "big"\n${MINE}`);
    expect(way(settings, 'anything/at all')).toBe('mine anything/at all');
    expect(settings.targets.names).toEqual(['big']);
  });

  test.each([
    'codex-auto-review',
    'codex-mini-latest',
    'gpt-5.5',
    'gpt-5-codex',
    'claude-sonnet-4-5-20250929',
    'claude-opus-4-7[1m]',
    'claude-3-5-haiku-latest',
    'haiku',
    'sonnet[1m]',
  ])('%s, which only a client knows, stands for the configured model', (name) => {
    expect(way(load(`model_provider = "mine"\nmodel = "big"\n${MINE}`), name)).toBe('mine big');
    const routes = `${MINE}[gateway]\nmodel = "fast"\n[gateway.models]\nfast = "mine/small"\nother = "groq/x"`;
    expect(way(load(routes), name)).toBe('mine small');
    expect(way(load(`${MINE}[gateway.models]\nonly = "mine/small"`), name)).toBe('mine small');
    expect(way(load(`${MINE}[gateway.models]\na = "mine/a"\nb = "mine/b"`), name)).toBeUndefined();
    expect(way(load(`model_provider = "mine"\n${MINE}`), name)).toBe(`mine ${name}`);
    expect(
      way(load(`model_provider = "mine"\nmodel = "big"\n${MINE}[gateway.models]\n"${name}" = "groq/x"`), name),
    ).toBe('groq x');
  });

  test('OpenAI knows its own names, and names of open models are taken literally', () => {
    expect(way(load('model_provider = "openai"\nmodel = "gpt-5.5"'), 'gpt-5-mini')).toBe('openai gpt-5-mini');
    expect(way(load(`model_provider = "mine"\nmodel = "big"\n${MINE}`), 'gpt-oss:20b')).toBe('mine gpt-oss:20b');
  });

  test('Anthropic knows its own names, but not those of OpenAI', () => {
    const settings = load('model_provider = "anthropic"\nmodel = "claude-sonnet-5"');
    expect(way(settings, 'claude-haiku-4-5')).toBe('anthropic claude-haiku-4-5');
    expect(way(settings, 'gpt-5.5')).toBe('anthropic claude-sonnet-5');
  });

  test.each(['claude', 'my-claude-3', 'sonnet-tuned', 'opus[', 'llama-3'])('%s is the name of any model', (name) => {
    expect(way(load(`model_provider = "mine"\nmodel = "big"\n${MINE}`), name)).toBe(`mine ${name}`);
  });

  test('mistakes are named', () => {
    expect(() => load('')).toThrow('The gateway has nowhere to send requests.');
    expect(() => load('gateway.models.x = "nobody/x"')).toThrow('Unknown model provider "nobody"');
    expect(() => load('gateway.provider = "nobody"')).toThrow(UserError);
  });

  test('keys are found as for the agent', async () => {
    const { targets, credentials, env } = load(`model_provider = "mine"\n${MINE}`);
    const provider = targets.find('x')?.provider;
    expect(provider && (await credentials(provider))).toMatchObject({ authorization: 'mine-key' });
    expect(env.MINE_KEY).toBe('mine-key');
  });
});

describe('one server that the command line names', () => {
  const local = { url: 'http://localhost:8000/v1' };

  test('gets every request under its own name, regardless of the configuration', () => {
    const settings = load(`model_provider = "mine"\nmodel = "big"\n${MINE}[gateway.models]\nfast = "mine/x"`, local);
    for (const name of ['a', 'fast', 'gpt-5.5']) expect(way(settings, name)).toBe(`upstream ${name}`);
    expect(settings.targets.find('a')?.provider).toMatchObject({
      name: 'localhost:8000',
      baseUrl: 'http://localhost:8000/v1',
      wire: 'auto',
    });
    expect(settings.targets.names).toEqual([]);
  });

  test('a model may stand for the names that only clients know', () => {
    const settings = load('', { ...local, model: 'big' });
    expect(way(settings, 'codex-auto-review')).toBe('upstream big');
    expect(way(settings, 'other')).toBe('upstream other');
    expect(settings.targets.names).toEqual(['big']);
  });

  test('may be a provider, whose settings count then', () => {
    const toml = `${MINE}[gateway.models]\nfast = "groq/x"`;
    const settings = load(toml, { provider: 'mine', model: 'big' });
    expect(way(settings, 'fast')).toBe('mine fast');
    expect(way(settings, 'gpt-5.5')).toBe('mine big');
    expect(settings.targets.find('x')?.provider).toMatchObject({ baseUrl: 'http://mine/v1', wire: 'chat' });
    expect(() => load('', { provider: 'nobody' })).toThrow('Unknown model provider "nobody"');
  });

  test('may not speak a wire that does not exist', () => {
    expect(() => load('', { ...local, wire: 'soap' })).toThrow(
      'There is no wire "soap" for the server at http://localhost:8000/v1. Choose one of: auto, responses, chat,',
    );
  });

  test('needs no key, and has one if a variable is named', async () => {
    const without = load('', local);
    const provider = without.targets.find('x')?.provider;
    expect(provider && (await without.credentials(provider))).toEqual({ kind: 'none' });
    const withKey = load('', { ...local, wire: 'chat', keyEnv: 'UP' });
    const keyed = withKey.targets.find('x')?.provider;
    expect(keyed?.wire).toBe('chat');
    expect(keyed && (await withKey.credentials(keyed))).toMatchObject({ authorization: 'up-key' });
    expect(() => load('', { ...local, keyEnv: 'UNSET' })).toThrow('The variable UNSET is not set or empty.');
  });

  test.each([
    ['http://h:1', 'http://h:1/v1'],
    ['http://h:1/', 'http://h:1/v1'],
    ['localhost:8000', 'http://localhost:8000/v1'],
    ['127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
    ['https://h/api/v4/', 'https://h/api/v4'],
    ['http://h/v1/chat/completions', 'http://h/v1'],
    ['http://h/v1/responses/', 'http://h/v1'],
    ['http://h/v1/models', 'http://h/v1'],
    ['localhost:11434/api', 'http://localhost:11434/api'],
    ['http://localhost:11434/api/chat', 'http://localhost:11434/api'],
    ['https://h/chat', 'https://h/chat'],
    ['https://h/v1/chat', 'https://h/v1/chat'],
  ])('%s is %s', (url, baseUrl) => {
    expect(load('', { url }).targets.find('x')?.provider.baseUrl).toBe(baseUrl);
  });

  test.each(['ftp://h', 'http://', '', 'a b'])('"%s" is not an address', (url) => {
    expect(() => load('', { url })).toThrow('is not a web address');
  });
});

describe('clients', () => {
  const target = 'model_provider = "ollama"\n';

  test('keys are read from the variables that are named', () => {
    expect(load(target).clientKeys).toEqual([]);
    expect(load(`${target}gateway.key_env = ["ONE", "TWO"]`).clientKeys).toEqual(['key-one', 'key-two']);
  });

  test.each(['UNSET', 'BLANK'])('a variable without a key does not open the gateway: %s', (name) => {
    expect(() => load(`${target}gateway.key_env = "${name}"`)).toThrow(`The variable ${name} is not set or empty.`);
  });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '128.0.0.1', '', '::ffff:10.0.0.1'])(
    'an address that other machines can reach needs a key: %s',
    (host) => {
      expect(() => load(`${target}gateway.host = "${host}"`)).toThrow(
        'Without a key the gateway listens on this machine',
      );
      expect(load(`${target}gateway.host = "${host}"\ngateway.key_env = "ONE"`).clientKeys).toEqual(['key-one']);
    },
  );

  test.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1', '[::1]', '0:0:0:0:0:0:0:1'])('%s needs no key', (host) => {
    expect(load(`${target}gateway.host = "${host}"`).clientKeys).toEqual([]);
  });

  test('limits that are set replace the defaults', () => {
    expect(load(target).limits).toEqual(DEFAULT_LIMITS);
    expect(load(`${target}gateway.max_exchanges = 7`).limits).toEqual({ ...DEFAULT_LIMITS, maxExchanges: 7 });
  });
});
