import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { WIRE_NAMES } from '../../wire/registry.ts';
import { assertWires } from './assert-wires.ts';
import { HOSTED, MOVABLE } from './built-in.ts';
import { findProvider, localProviders, providerIds } from './index.ts';

describe('findProvider', () => {
  test('returns the built-in entry with the defaults', () => {
    expect(findProvider('openai', {})).toEqual({
      id: 'openai',
      name: 'OpenAI',
      baseUrl: 'https://api.openai.com/v1',
      defaultModel: 'gpt-5.5',
      wire: 'auto',
      openaiAuth: true,
      queryParams: {},
      headers: {},
      envHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
      requestMaxRetries: 4,
      streamMaxRetries: 5,
      streamIdleTimeoutMs: 300_000,
      compat: { ...DEFAULT_COMPAT, textCalls: false },
    });
  });

  test.each([
    ['https://api.openai.com/v1', false],
    ['https://mine.openai.azure.com/openai/v1', false],
    ['https://openai.azure.com.example.com/v1', true],
    ['https://notapi.openai.com.example/v1', true],
    ['http://localhost:8000/v1', true],
  ])('at %s calls in texts count: %s', (baseUrl, textCalls) => {
    expect(findProvider('mine', { mine: { baseUrl } }).compat.textCalls).toBe(textCalls);
    expect(findProvider('mine', { mine: { baseUrl } }, { textCalls: false }).compat.textCalls).toBe(false);
    expect(findProvider('openai', {}, { openaiBaseUrl: baseUrl }).compat.textCalls).toBe(textCalls);
    expect(findProvider('mine', { mine: { baseUrl, compat: { textCalls: true } } }).compat.textCalls).toBe(true);
  });

  test.each([
    ['ollama', 'http://localhost:11434/api'],
    ['lmstudio', 'http://localhost:1234/v1'],
    ['llama.cpp', 'http://localhost:8080/v1'],
    ['vllm', 'http://localhost:8000/v1'],
    ['sglang', 'http://localhost:30000/v1'],
  ])('%s is on this machine and needs no key', (id, baseUrl) => {
    const provider = findProvider(id, {});
    expect(provider).toMatchObject({ id, baseUrl, openaiAuth: false });
    expect(provider).not.toHaveProperty('envKey');
  });

  test.each(Object.keys(HOSTED))('%s needs only its key', (id) => {
    const provider = findProvider(id, {});
    // The server in China has the same variable as the other one. Volcengine calls its service Ark.
    const vendor = id === 'volcengine' ? 'ark' : id.replace(/-cn$/, '');
    expect(provider).toMatchObject({ id, openaiAuth: false, envKey: `${vendor.toUpperCase()}_API_KEY` });
    expect(provider.name).not.toBe(id);
    expect(provider.baseUrl).toMatch(/^https:\/\/[a-z.-]+(\/[a-z0-9-]+)*$/);
    expect(provider.compat).toEqual({ ...DEFAULT_COMPAT, ...HOSTED[id]?.compat });
  });

  test('every server has one entry', () => {
    const entries = Object.values({ ...HOSTED, ...MOVABLE });
    const given = <T>(values: (T | undefined)[]) => values.filter((value) => value !== undefined);
    for (const values of [entries.map(({ name }) => name), given(entries.map(({ baseUrl }) => baseUrl))])
      expect(new Set(values).size).toBe(values.length);
    expect(Object.keys(HOSTED).filter((id) => Object.hasOwn(MOVABLE, id))).toEqual([]);
  });

  test('azure needs the address of a resource, and keeps its key there', () => {
    expect(() => findProvider('azure', {})).toThrow(
      new UserError(
        'invalid_config',
        'The model provider "azure" has no base_url, as every resource there has an address of its own. Write to config.toml:\n[model_providers.azure]\nbase_url = "https://RESOURCE.openai.azure.com/openai/v1"',
      ),
    );
    const baseUrl = 'https://mine.openai.azure.com/openai/v1';
    expect(findProvider('azure', { azure: { baseUrl, queryParams: { 'api-version': 'preview' } } })).toMatchObject({
      name: 'Azure OpenAI',
      baseUrl,
      wire: 'auto',
      envKey: 'AZURE_OPENAI_API_KEY',
      openaiAuth: false,
      queryParams: { 'api-version': 'preview' },
      compat: { textCalls: false },
    });
  });

  test('servers that share their port with other programs are asked only if the user wants them', () => {
    const ids = (...given: Parameters<typeof localProviders>) => localProviders(...given).map(({ id }) => id);
    expect(ids({})).toEqual(['lmstudio', 'ollama']);
    expect(ids({}, 'vllm')).toEqual(['lmstudio', 'ollama', 'vllm']);
    expect(ids({ sglang: { name: 'Mine' }, far: { baseUrl: 'https://h/v1' } })).toEqual([
      'lmstudio',
      'ollama',
      'sglang',
    ]);
    expect(ids({}, 'openai')).toEqual(['lmstudio', 'ollama']);
    expect(ids({}, 'azure')).toEqual(['lmstudio', 'ollama']);
    expect(ids({}, 'nobody')).toEqual(['lmstudio', 'ollama']);
  });

  test("lists the ids of the built-in entries and of the user's", () => {
    const ids = providerIds({ mine: {}, openai: {} });
    expect(ids).toEqual([...Object.keys(HOSTED), ...Object.keys(MOVABLE), 'mine'].sort());
  });

  test('the settings that servers require are built in', () => {
    expect(findProvider('mistral', {}).compat).toMatchObject({ callIds: 'nine', sendReasoning: 'none' });
    expect(findProvider('groq', {}).compat.sendReasoning).toBe('none');
    expect(findProvider('deepseek', {}).compat.sendReasoning).toBe('all');
    expect(findProvider('xai', {}).compat.htmlEntities).toBe(true);
  });

  test("a user's table for a hosted server adds to the built-in entry", () => {
    const settings = { mistral: { envKey: 'MINE', compat: { sendReasoning: 'turn' } } } as const;
    expect(findProvider('mistral', settings)).toMatchObject({
      baseUrl: 'https://api.mistral.ai/v1',
      wire: 'chat',
      envKey: 'MINE',
      compat: { callIds: 'nine', sendReasoning: 'turn' },
    });
  });

  test('a table with an address of its own gets neither the key nor the wire of the hosted server', () => {
    const baseUrl = 'http://localhost:9/v1';
    const provider = findProvider('mistral', { mistral: { baseUrl } });
    expect(provider).toMatchObject({ name: 'mistral', baseUrl, wire: 'auto', compat: { callIds: 'nine' } });
    expect(provider).not.toHaveProperty('envKey');
    expect(findProvider('zai', { zai: { baseUrl } }).compat).toEqual(DEFAULT_COMPAT);
  });

  test("merges the user's table over the built-in entry", () => {
    const provider = findProvider('openai', {
      openai: { headers: { a: '1' }, envHeaders: { b: 'B' }, requestMaxRetries: 0, compat: { instructions: 'item' } },
    });
    expect(provider).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      headers: { a: '1' },
      envHeaders: { 'OpenAI-Project': 'OPENAI_PROJECT', b: 'B' },
      requestMaxRetries: 0,
      compat: { instructions: 'item', parallelToolCalls: true },
    });
  });

  test("accepts a provider that only the user's table has", () => {
    const settings = {
      mine: { baseUrl: ' http://localhost:9/v1// ', wire: 'chat', envKey: 'MINE', queryParams: { v: '1' } },
    } as const;
    expect(findProvider('mine', settings)).toMatchObject({
      id: 'mine',
      name: 'mine',
      baseUrl: 'http://localhost:9/v1',
      wire: 'chat',
      envKey: 'MINE',
      openaiAuth: false,
      queryParams: { v: '1' },
      requestMaxRetries: 4,
    });
  });

  test('moves only openai to another address', () => {
    const overrides = { openaiBaseUrl: 'http://localhost:7/v1/' };
    expect(findProvider('openai', {}, overrides).baseUrl).toBe('http://localhost:7/v1');
    expect(findProvider('ollama', {}, overrides).baseUrl).toBe('http://localhost:11434/api');
  });

  test('keeps the number of retries between 0 and 100', () => {
    const retries = { requestMaxRetries: 1000, streamMaxRetries: -3 };
    expect(findProvider('ollama', { ollama: retries })).toMatchObject({ requestMaxRetries: 100, streamMaxRetries: 0 });
  });

  test('lists the known ids and the lines to write for an unknown id', () => {
    const find = () => findProvider('my-server', { other: { baseUrl: 'http://x' } });
    expect(find).toThrow(UserError);
    expect(find).toThrow(
      /Unknown model provider "my-server"\. Known: anthropic, azure, .*, lmstudio, .*, ollama, openai, openrouter, other, .*, zai, zhipu\./,
    );
    expect(find).toThrow(
      '[model_providers.my-server]\nbase_url = "https://example.com/v1"\nenv_key = "MY_SERVER_API_KEY"',
    );
  });

  test.each(['', ' '])('suggests no table for the name %j', (id) => {
    const find = () => findProvider(id, {});
    expect(find).toThrow(
      /^The name of a model provider is empty\. Write one of these, or leave the setting out: anthropic/,
    );
    expect(find).not.toThrow('model_providers');
  });

  test('suggests a variable with a name, whatever the id', () => {
    expect(() => findProvider('中文', {})).toThrow('env_key = "MY_API_KEY"');
    expect(() => findProvider('-a-', {})).toThrow('env_key = "A_API_KEY"');
  });

  test('does not take a property of every object for a provider', () => {
    expect(() => findProvider('constructor', {})).toThrow(/Unknown model provider/);
    expect(() => findProvider('a b', {})).toThrow('[model_providers."a b"]');
  });

  test.each([undefined, '', '  /'])('says what to write when base_url is %j', (baseUrl) => {
    const settings = baseUrl === undefined ? { name: 'Mine' } : { baseUrl };
    expect(() => findProvider('mine', { mine: settings })).toThrow(
      /"mine" has no base_url.*\n\[model_providers\.mine\]/,
    );
  });

  test.each(['localhost:8080/v1', 'ftp://x/v1', 'http://'])('refuses %s as an address', (baseUrl) => {
    expect(() => findProvider('mine', { mine: { baseUrl } })).toThrow(/is not a web address/);
  });
});

test('a table that names a wire which does not exist is refused, with the names of those that do', () => {
  expect(() => assertWires({ mine: { wire: 'chat' }, other: {}, any: { wire: 'auto' } })).not.toThrow();
  expect(() => assertWires({ mine: { wire: 'chat' }, other: { wire: 'soap' } })).toThrow(
    new UserError(
      'invalid_config',
      `The model provider "other" has no wire called "soap". Set its wire to one of: auto, ${WIRE_NAMES.join(', ')}.`,
    ),
  );
});
