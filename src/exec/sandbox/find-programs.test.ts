import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { findPrograms, trustedFolders } from './find-programs.ts';
import { findUntrusted } from './find-untrusted.ts';
import { followPath, leadsThrough } from './follow-path.ts';

let root: string;
const at = (...names: string[]) => join(root, ...names);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-programs-')));
  for (const folder of ['system', 'ws/bin', 'other/node_modules/.bin']) {
    mkdirSync(at(folder), { recursive: true });
    writeFileSync(at(folder, 'tool'), '#!/bin/sh\n');
    chmodSync(at(folder, 'tool'), 0o755);
  }
  symlinkSync(at('ws/hop'), at('indirect'));
  symlinkSync(at('system'), at('ws/hop'));
  symlinkSync(at('ws/bin'), at('linked'));
  mkdirSync(at('mixed'));
  symlinkSync(at('ws/bin/tool'), at('mixed/tool'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const search = (...folders: string[]) => ({ path: folders.join(':'), untrustedFolders: [at('ws')] });

describe('programs of our own', () => {
  test('come from no folder that commands can write to, however PATH leads there', () => {
    const folders = ['', '.', 'bin', at('ws/bin'), at('ws'), at('linked'), at('indirect'), at('ws/hop')];
    const unsafe = [...folders, at('system/../ws/bin'), at('other/node_modules/.bin'), at('mixed')];
    expect(findPrograms('tool', search(...unsafe))).toEqual([]);
    expect(findPrograms('tool', search(...unsafe, at('system')))).toEqual([at('system/tool')]);
    expect(trustedFolders(search(...unsafe, at('system')))).toEqual([at('mixed'), at('system')]);
  });

  test('may come from a path that the caller names', () => {
    expect(findPrograms('tool', { ...search(''), first: at('ws/bin/tool') })).toEqual([at('ws/bin/tool')]);
    expect(findPrograms('tool', { ...search(''), first: at('missing') })).toEqual([]);
  });
});

describe('a program in a rule', () => {
  test.each<[string, string[], string | undefined]>([
    ['tool', ['system'], undefined],
    ['tool', ['system', 'ws/bin'], undefined],
    ['tool', ['ws/bin', 'system'], 'ws/bin'],
    ['tool', ['ws/none', 'system'], 'ws/none'],
    ['tool', ['indirect'], 'indirect'],
    ['tool', ['mixed'], 'mixed'],
    ['tool', ['none', 'system'], undefined],
    ['missing', ['system'], undefined],
    ['missing', ['system', 'linked'], 'linked'],
  ])('%s on %j: %s', (program, folders, expected) => {
    const place = expected === undefined ? undefined : at(expected);
    expect(findUntrusted(program, search(...folders.map((folder) => at(folder))))).toBe(place);
  });

  test('is trusted by its path if no command can change what the path leads to', () => {
    expect(findUntrusted(at('system/tool'), search())).toBeUndefined();
    for (const path of [at('ws/bin/tool'), at('linked/tool'), at('mixed/tool'), './tool', 'bin/tool', '../tool'])
      expect(findUntrusted(path, search())).toBe(path);
  });

  test('is not trusted where PATH has a relative or empty folder, or is missing', () => {
    for (const path of ['bin:/usr/bin', ':/usr/bin', '.:/usr/bin', ''])
      expect(findUntrusted('tool', { path, untrustedFolders: [] })).toBeDefined();
  });
});

test('a path is followed as the system follows it', () => {
  const name = fc.constantFrom('system', 'ws', 'bin', 'hop', 'indirect', 'linked', 'mixed', 'tool', '.', '..', '', 'x');
  fc.assert(
    fc.property(fc.array(name, { maxLength: 6 }), (names) => {
      const path = `${root}/${names.join('/')}`;
      let real: string | undefined;
      try {
        real = realpathSync.native(path);
      } catch {
        return;
      }
      expect(followPath(path).end).toBe(real);
    }),
    { numRuns: runs(300) },
  );
});

test('links in a circle end', () => {
  symlinkSync(at('b'), at('a'));
  symlinkSync(at('a'), at('b'));
  expect(followPath(at('a', 'c')).end).toMatch(/\/[ab]\/c$/);
  expect(leadsThrough(at('a'), [at('ws')])).toBe(false);
});
