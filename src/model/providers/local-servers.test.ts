import { expect, test } from 'vitest';
import { usualServers } from './local-servers.ts';

const addresses = (...args: Parameters<typeof usualServers>) =>
  usualServers(...args).map(({ id, baseUrl }) => `${id} ${baseUrl}`);

test('the usual places are asked in a fixed order', () => {
  expect(addresses({}, undefined)).toEqual([
    'ollama http://localhost:11434/api',
    'lmstudio http://localhost:1234/v1',
    'llama.cpp http://localhost:8080/v1',
    'vllm http://localhost:8000/v1',
    'sglang http://localhost:30000/v1',
    'jan http://localhost:1337/v1',
    'koboldcpp http://localhost:5001/v1',
    'tabbyapi http://localhost:5000/v1',
  ]);
});

test('servers of the user come first, each address once, and none on other machines', () => {
  const settings = {
    mine: { baseUrl: 'http://127.0.0.1:9000/v1' },
    far: { baseUrl: 'https://example.com/v1' },
    again: { baseUrl: 'http://localhost:8000/v1' },
    zai: { envKey: 'X' },
  };
  expect(addresses(settings, undefined)).toEqual([
    'mine http://127.0.0.1:9000/v1',
    'again http://localhost:8000/v1',
    ...addresses({}, undefined).filter((line) => !line.startsWith('vllm')),
  ]);
});

test.each([
  ['127.0.0.1:11500', 'http://127.0.0.1:11500/api'],
  ['0.0.0.0', 'http://localhost:11434/api'],
  [':11500', 'http://localhost:11500/api'],
  ['http://localhost:11500/', 'http://localhost:11500/api'],
  ['http://127.0.0.1', 'http://127.0.0.1/api'],
  ['[::]:11500', 'http://localhost:11500/api'],
  ['', 'http://localhost:11434/api'],
  ['not an address', 'http://localhost:11434/api'],
])('OLLAMA_HOST=%s is %s', (host, address) => {
  expect(addresses({}, host)[0]).toBe(`ollama ${address}`);
});

test('OLLAMA_HOST on another machine is not asked, and a table of the user counts more', () => {
  expect(addresses({}, 'gpu.example.com:11434').some((line) => line.startsWith('ollama'))).toBe(false);
  expect(addresses({ ollama: { baseUrl: 'http://localhost:1/v1' } }, '127.0.0.1:2')[0]).toBe(
    'ollama http://localhost:1/v1',
  );
});
