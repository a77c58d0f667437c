import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeSandbox } from '../describe-sandbox.ts';
import { findSandbox } from '../find-sandbox.ts';
import { createPlaces } from '../places.ts';
import { createSeatbeltLaunch } from './seatbelt-launch.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
});
afterEach(() => rmSync(base, { recursive: true }));

const look = (platform: NodeJS.Platform, seatbelt: string) =>
  findSandbox({ platform, seatbelt, probes: {}, path: '', untrustedFolders: [], signal: new AbortController().signal });

test('macOS has a sandbox of its own', async () => {
  expect(await look('darwin', '/bin/sh')).toEqual({ type: 'seatbelt' });
  expect(await look('darwin', join(base, 'missing'))).toMatchObject({ type: 'none' });
});

test('on Windows the message says that there is no sandbox and that approvals still work', async () => {
  const text = describeSandbox(await look('win32', '/bin/sh'));
  expect(text).toContain('only Linux and macOS have one');
  expect(text).toContain('approve each command');
});

test('a launch uses the folders as they are now', () => {
  const [root, secret] = [join(base, 'root'), join(base, 'secret')];
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(secret);
  const policy = {
    mode: 'workspace-write' as const,
    writableRoots: [root, join(base, 'missing')],
    network: false,
    denyRead: [secret, join(base, 'absent')],
  };
  const places = createPlaces(() => {})
    .of(policy)
    .examine();
  const { argv, commandAt } = createSeatbeltLaunch({ policy, places, argv: ['/bin/ls', '-l'], tell() {} });
  expect(argv.slice(commandAt)).toEqual(['/bin/ls', '-l']);
  const definitions = argv.slice(3, commandAt - 1).filter((word) => word !== '-D');
  expect(definitions.map((definition) => definition.replace(/^[A-Z_]+_\d+=/, ''))).toEqual(
    expect.arrayContaining([root, join(root, '.git'), secret, join(base, 'absent')]),
  );
  expect(definitions.join()).not.toMatch(/missing/);
});
