import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Provider } from '../base/provider.ts';
import { DEFAULT_COMPAT } from '../base/wire.ts';
import { findCredentials } from './credentials.ts';
import { findKey } from './find-key.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'auth-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const provider = (fields: Partial<Provider>): Provider => ({
  id: 'p',
  name: 'P',
  baseUrl: 'http://h/v1',
  wire: 'responses',
  openaiAuth: false,
  queryParams: {},
  headers: {},
  envHeaders: {},
  requestMaxRetries: 0,
  streamMaxRetries: 0,
  streamIdleTimeoutMs: 1,
  compat: DEFAULT_COMPAT,
  ...fields,
});

const keyOf = async (fields: Partial<Provider>, env: Record<string, string>) =>
  (await findCredentials(provider(fields), { env, home })).authorization;

test('the order of keys for OpenAI: CODEX_API_KEY, the provider’s variable, auth.json, OPENAI_API_KEY', async () => {
  const openai = { openaiAuth: true, envKey: 'OWN' };
  const env = { CODEX_API_KEY: 'codex', OWN: 'own', OPENAI_API_KEY: 'openai' };
  writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'stored' }));
  expect(await keyOf(openai, env)).toBe('codex');
  expect(await keyOf(openai, { OWN: 'own', OPENAI_API_KEY: 'openai' })).toBe('own');
  expect(await keyOf(openai, { OPENAI_API_KEY: 'openai' })).toBe('stored');
  rmSync(join(home, 'auth.json'));
  expect(await keyOf(openai, { OPENAI_API_KEY: ' openai\n' })).toBe('openai');
});

test('the mode of auth.json decides, and a file of an older Codex has none', () => {
  const tokens = { id_token: 'i', access_token: 'a', refresh_token: 'r' };
  const found = (stored: object) => {
    writeFileSync(join(home, 'auth.json'), JSON.stringify(stored));
    return findKey(provider({ openaiAuth: true }), { env: { OPENAI_API_KEY: 'openai' }, home });
  };
  const path = join(home, 'auth.json');
  const key = { kind: 'found', where: path, key: 'stored' };
  expect(found({ auth_mode: 'apikey', OPENAI_API_KEY: 'stored', tokens })).toEqual(key);
  expect(found({ OPENAI_API_KEY: 'stored', tokens })).toEqual(key);
  expect(found({ auth_mode: 'chatgpt', OPENAI_API_KEY: 'stored', tokens })).toEqual({ kind: 'chatgpt', where: path });
  expect(found({ OPENAI_API_KEY: null, tokens })).toEqual({ kind: 'chatgpt', where: path });
  expect(found({ auth_mode: 'apikey', tokens })).toMatchObject({ where: 'OPENAI_API_KEY' });
  expect(found({ auth_mode: 'chatgpt', tokens: null })).toMatchObject({ where: 'OPENAI_API_KEY' });
});

test('auth.json is not read for a hermetic agent', async () => {
  writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'stored' }));
  const sources = { env: { OPENAI_API_KEY: 'openai' }, home, hermetic: true };
  const { authorization } = await findCredentials(provider({ openaiAuth: true }), sources);
  expect(authorization).toBe('openai');
});

test('the wire chooses the header of a key, and a bearer token is sent as such', async () => {
  expect(await keyOf({ envKey: 'OWN' }, { OWN: 'own' })).toBe('own');
  expect(await keyOf({ bearerToken: 'token' }, {})).toBe('Bearer token');
});

test('no key of OpenAI reaches another provider', async () => {
  writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: 'stored' }));
  expect(await keyOf({}, { CODEX_API_KEY: 'codex', OPENAI_API_KEY: 'openai' })).toBeUndefined();
});

test('a missing key is a sentence that names the variable', async () => {
  await expect(keyOf({ envKey: 'OWN' }, {})).rejects.toThrow(
    'Missing environment variable: `OWN`. Set it to the key of P.',
  );
  await expect(keyOf({ envKey: 'OWN', envKeyInstructions: 'Ask Ann.' }, { OWN: ' ' })).rejects.toThrow('Ask Ann.');
  await expect(keyOf({ openaiAuth: true }, {})).rejects.toThrow('set OPENAI_API_KEY');
});

test('a broken auth.json is named', async () => {
  writeFileSync(join(home, 'auth.json'), '{');
  await expect(keyOf({ openaiAuth: true }, {})).rejects.toThrow(join(home, 'auth.json'));
});
