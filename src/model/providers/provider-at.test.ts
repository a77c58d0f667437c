import { expect, test } from 'vitest';
import { providerAt } from './provider-at.ts';

const own = { house: { baseUrl: 'http://models.example/v1' }, yard: { baseUrl: 'http://models.example/v2/' } };

test('a provider is found by its origin, and by its path among several', () => {
  expect(providerAt('http://models.example/v2', own)).toBe('yard');
  expect(providerAt('http://models.example', own)).toBe('house');
  expect(providerAt('https://api.mistral.ai/v1/', own)).toBe('mistral');
  expect(providerAt('http://localhost:11434/v1', {})).toBe('ollama');
});

test('another port or scheme is another server, which must not get the key', () => {
  expect(providerAt('http://models.example:8080/v1', own)).toBeUndefined();
  expect(providerAt('http://api.mistral.ai/v1', own)).toBeUndefined();
});
