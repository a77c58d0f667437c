import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdStubs, isStub, removeIdleStubs } from './name-stubs.ts';

describe.skipIf(process.platform !== 'linux')('a stub', () => {
  let base: string;
  const at = (...names: string[]) => join(base, ...names);
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'oxbow-stubs-'));
    for (const name of ['root', 'outside']) mkdirSync(at(name));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  test('is an empty folder until no command needs it', () => {
    const held = [holdStubs([at('root/.oxbow')]), holdStubs([at('root/.oxbow')])];
    held[0]?.release();
    removeIdleStubs();
    expect([isStub(at('root/.oxbow')), readdirSync(at('root'))]).toEqual([true, ['.oxbow']]);
    held[1]?.release();
    removeIdleStubs();
    expect(readdirSync(at('root'))).toEqual([]);
  });

  test('is not made through a link', () => {
    renameSync(at('root'), at('moved'));
    symlinkSync('outside', at('root'));
    expect(() => holdStubs([at('root/.oxbow')])).toThrow('could not be kept from it');
    expect(readdirSync(at('outside'))).toEqual([]);
  });

  test('is not removed through a link', () => {
    const held = holdStubs([at('root/.oxbow')]);
    renameSync(at('root'), at('moved'));
    symlinkSync('outside', at('root'));
    mkdirSync(at('outside/.oxbow'));
    held.release();
    removeIdleStubs();
    expect(readdirSync(at('outside'))).toEqual(['.oxbow']);
  });
});
