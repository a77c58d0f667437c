import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ACCESS, attributeSize, FOR_FILES, handledBy, scopedBy } from './access.ts';
import { findRules } from './find-rules.ts';
import { confineFields, packInstructions } from './pack-instructions.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
  for (const folder of ['w', 'home/.ssh', 'home/code']) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, 'home/.profile'), '');
});
afterEach(() => rmSync(base, { recursive: true }));

const at = (path: string) => join(base, path);
const facts = { roots: [], kept: [], hidden: [], awaited: [], superuser: false };
const readable = (rules: ReturnType<typeof findRules>) =>
  rules.filter(({ access }) => (access & 0b100) !== 0 && (access & 0b10) === 0).map(({ path }) => path);

describe.skipIf(process.platform !== 'linux')('the rules of Landlock', () => {
  test('allow reading everything, and writing to devices that all programs need', () => {
    const rules = findRules(facts);
    expect(readable(rules)).toEqual(['/']);
    expect(rules).toContainEqual({ path: '/dev/null', access: ACCESS.device & FOR_FILES });
  });

  test('allow writing to roots, or only to their entries', () => {
    expect(findRules({ ...facts, roots: [{ path: at('w') }] })).toContainEqual({ path: at('w'), access: ACCESS.write });
    const strict = findRules({
      ...facts,
      roots: [{ path: at('home'), children: [at('home/code'), at('home/.profile')] }],
    });
    expect(strict).toContainEqual({ path: at('home/code'), access: ACCESS.write });
    expect(strict).toContainEqual({ path: at('home/.profile'), access: ACCESS.write & FOR_FILES });
    expect(strict.map(({ path }) => path)).not.toContain(at('home'));
  });

  test('name everything except hidden paths, and follow no link to them', () => {
    symlinkSync('.ssh', at('home/link'));
    const paths = readable(findRules({ ...facts, hidden: [{ path: at('home/.ssh'), isFolder: true }] }));
    expect(paths).toEqual(expect.arrayContaining([at('home/code'), at('home/.profile'), at('w'), '/usr']));
    for (const path of ['/', base, at('home'), at('home/.ssh'), at('home/link')]) expect(paths).not.toContain(path);
  });

  test('deny root the disks', () => {
    const paths = readable(findRules({ ...facts, superuser: true }));
    expect(paths).toContain('/usr');
    expect(paths.filter((path) => path === '/' || String(path).startsWith('/dev'))).toEqual([]);
  });
});

test('each version of Landlock gets only rights that it knows', () => {
  const bits = (version: number) => handledBy(version).toString(2).length;
  expect([1, 2, 3, 4, 5, 6, 7, 9].map(bits)).toEqual([13, 14, 15, 15, 16, 16, 16, 16]);
  expect([1, 3, 4, 5, 6, 7].map(attributeSize)).toEqual([8, 8, 16, 16, 24, 24]);
  expect([5, 6].map(scopedBy)).toEqual([0, 3]);
});

test('no rule allows making devices, or a right that the version does not know', () => {
  expect(ACCESS.write & ((1 << 6) | (1 << 11))).toBe(0);
  const rules = [{ path: '/w', access: ACCESS.write }];
  const fields = confineFields({ version: 1, superuser: true, rules, filter: new Uint8Array([1, 255]) });
  expect(fields).toEqual(['1', String(0x1fff), '0', '8', '01ff', String(ACCESS.write & 0x1fff), '/w']);
});

test('instructions are strings with their counts', () => {
  const bytes = packInstructions('arm64', 5, ['a', 'b'], { A: '1', B: '' });
  expect(Buffer.from(bytes).toString().split('\0')).toEqual([
    '167 91 157 135 137 57 94 24',
    '5',
    '2',
    'a',
    'b',
    'A=1',
    'B=',
    '',
  ]);
});
