import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { authPath, chooseAccount, chosenAccount, namedAccounts } from './accounts.ts';
import { authModeOf, readAuthFile, removeAuthFile, writeAuthFile } from './auth-file.ts';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'auth-file-'));
  path = join(home, 'auth.json');
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const TOKENS = { id_token: 'i', access_token: 'a', refresh_token: 'secret-r', account_id: null };

test('a file keeps its unknown fields, is for its owner only, and leaves no draft', () => {
  writeFileSync(path, JSON.stringify({ OPENAI_API_KEY: null, agent_identity: { x: 1 }, tokens: { ...TOKENS, z: 2 } }));
  chmodSync(path, 0o644);
  const auth = readAuthFile(path);
  writeAuthFile(path, { ...auth, last_refresh: '2026-11-16T00:00:00Z' });
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    OPENAI_API_KEY: null,
    agent_identity: { x: 1 },
    tokens: { ...TOKENS, z: 2 },
    last_refresh: '2026-11-16T00:00:00Z',
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(['auth.json']);
});

test('a file in a home that is not there yet gets a folder for its owner only', () => {
  const inner = join(home, 'new', 'auth.json');
  writeAuthFile(inner, { OPENAI_API_KEY: 'k' });
  expect(statSync(join(home, 'new')).mode & 0o777).toBe(0o700);
  expect(readAuthFile(inner)).toEqual({ OPENAI_API_KEY: 'k' });
});

test('a link to a file elsewhere stays a link', () => {
  const elsewhere = join(home, 'elsewhere.json');
  writeFileSync(elsewhere, '{}');
  symlinkSync(elsewhere, path);
  writeAuthFile(path, { OPENAI_API_KEY: 'k' });
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readAuthFile(elsewhere)).toEqual({ OPENAI_API_KEY: 'k' });
});

test('a file that is not there is undefined, and removing it says so', () => {
  expect(readAuthFile(path)).toBeUndefined();
  expect(removeAuthFile(path)).toBe(false);
  writeAuthFile(path, {});
  expect(removeAuthFile(path)).toBe(true);
});

test.each([
  ['', 'is empty'],
  ['{"OPENAI_API_KEY":"sk-secr', 'is cut off, or is not JSON'],
  ['["sk-secret"]', 'contains no object'],
  ['{"OPENAI_API_KEY":7}', 'has a field OPENAI_API_KEY that is not text'],
  ['{"tokens":{"id_token":"i","access_token":"a"}}', 'has tokens without refresh_token'],
  ['{"tokens":"sk-secret"}', 'has a field tokens that is not an object'],
])('a damaged file is a sentence that does not quote it: %s', (text, fault) => {
  writeFileSync(path, text);
  expect(() => readAuthFile(path)).toThrow(
    expect.objectContaining({
      message: `${path} ${fault}. Remove it and sign in again.`,
      code: 'damaged',
      remedy: { type: 'sign_in' },
    }),
  );
});

test('a file without a mode has the mode that Codex takes', () => {
  expect(authModeOf({ OPENAI_API_KEY: 'k', tokens: TOKENS })).toBe('apikey');
  expect(authModeOf({ OPENAI_API_KEY: null, tokens: TOKENS })).toBe('chatgpt');
  expect(authModeOf({ OPENAI_API_KEY: 'k', auth_mode: 'chatgpt' })).toBe('chatgpt');
  expect(authModeOf({ auth_mode: 'agentIdentity' })).toBe('other');
});

test('an account is a file of its own, and the chosen one is used where none is named', () => {
  expect(authPath(home)).toBe(path);
  expect(authPath(home, 'work')).toBe(join(home, 'accounts', 'work.json'));
  writeAuthFile(authPath(home, 'work'), { OPENAI_API_KEY: 'w' });
  chooseAccount(home, 'work');
  expect(chosenAccount(home)).toBe('work');
  expect(authPath(home)).toBe(join(home, 'accounts', 'work.json'));
  expect(authPath(home, 'default')).toBe(path);
  expect(namedAccounts(home)).toEqual(['work']);
  chooseAccount(home, 'default');
  expect(authPath(home)).toBe(path);
  expect(() => authPath(home, '../x')).toThrow('"../x" cannot be the name of an account.');
});
