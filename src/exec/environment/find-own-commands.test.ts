import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandEnvironment } from '../process/command-environment.ts';
import { findOwnCommands } from './find-own-commands.ts';

const root = join(import.meta.dirname, '../../..');

test('the programs are those of the installation that the code is part of', () => {
  const expected = { folder: join(root, 'bin/path'), node: process.execPath };
  for (const from of ['dist', 'dist/chunks', 'dist/program/exec', 'src/app/thread']) {
    expect(findOwnCommands(join(root, from))).toEqual(expected);
  }
  expect(readdirSync(expected.folder)).toEqual(['apply_patch', 'applypatch']);
});

test('a program that bundles the code has none', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'oxbow-bundled-'));
  try {
    expect(findOwnCommands(join(elsewhere, 'dist'))).toBeUndefined();
    expect(findOwnCommands(undefined)).toBeUndefined();
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

test('a command finds them after all others, unless it has no PATH and its shell uses a default', () => {
  const facts = { threadId: 'th', callId: 'call', version: '1', networkOff: false };
  const commands = { folder: '/oxbow/bin/path', node: '/node' };
  const found = commandEnvironment({ PATH: '/a:/b' }, { ...facts, commands });
  expect(found).toMatchObject({ PATH: '/a:/b:/oxbow/bin/path', OXBOW_NODE: '/node' });
  for (const passed of [{}, { PATH: '' }]) {
    const { PATH, OXBOW_NODE } = commandEnvironment(passed, { ...facts, commands });
    expect([PATH ?? '', OXBOW_NODE]).toEqual(['', undefined]);
  }
});
