import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { isInside } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { fixPaths, fixRoots } from './fix-paths.ts';
import { createPlaces } from './places.ts';

let base: string;
const at = (...names: string[]) => join(base, ...names);
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-test-')));
});
afterEach(() => rmSync(base, { recursive: true }));

const policy = (more: Partial<SandboxPolicy>): SandboxPolicy => ({
  mode: 'workspace-write',
  writableRoots: [],
  network: false,
  ...more,
});

/** Names that often lead into each other. */
const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const target = fc.oneof(path, fc.constantFrom('..', '../a', '../../b', '.', 'outside'));
const entries = fc.array(fc.record({ path, link: fc.option(target, { nil: undefined }) }), { maxLength: 12 });

function build(folder: string, tree: readonly { readonly path: string; readonly link: string | undefined }[]): void {
  for (const { path: name, link } of tree) {
    const entry = join(folder, name);
    try {
      mkdirSync(dirname(entry), { recursive: true });
      if (link === undefined) mkdirSync(entry);
      else symlinkSync(link.startsWith('.') ? link : join(folder, link), entry);
    } catch {
      // The name is taken, or lies behind a link that leads nowhere.
    }
  }
}

function linksIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return linksIn(path);
    return entry.isSymbolicLink() ? [path] : [];
  });
}

describe('the roots of a policy', () => {
  test('lead nowhere else, whatever commands do with the links that they can change', () => {
    fc.assert(
      fc.property(entries, fc.array(path, { minLength: 1, maxLength: 4 }), (tree, roots) => {
        const folder = realpathSync(mkdtempSync(at('tree-')));
        mkdirSync(join(folder, 'outside'));
        build(folder, tree);
        const names = roots.map((root) => join(folder, root));
        const fixed = fixRoots(names, new Map());
        const writable = [...fixed.values()].flatMap((root) => root.path ?? []);
        for (const link of linksIn(folder).filter((link) => writable.some((root) => isInside(link, root)))) {
          unlinkSync(link);
          symlinkSync(join(folder, 'outside'), link);
        }
        for (const [name, root] of fixed) {
          if (root.path !== undefined) expect(realpathSync(name)).toBe(root.path);
          else expect(root.note).toContain(name);
        }
        expect(fixRoots(names, fixed)).toEqual(fixed);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('keep their place for the whole thread, also for a policy of a later turn', () => {
    mkdirSync(at('w'));
    mkdirSync(at('outside'));
    const first = fixPaths(policy({ writableRoots: [at('w'), at('w/build')] }));
    expect(first.roots).toEqual([at('w')]);
    symlinkSync(at('outside'), at('w/build'));
    symlinkSync(at('outside'), at('w/dist'));
    const later = fixPaths(policy({ writableRoots: [at('w/build'), at('w/dist')] }), first.named);
    expect(later.roots).toEqual([]);
    expect(later.notes).toEqual([
      expect.stringContaining(`${at('w/build')} does not exist`),
      expect.stringContaining(`leads through the link ${at('w/dist')}`),
    ]);
  });

  test('may lead through links that no command can change', () => {
    mkdirSync(at('w'));
    symlinkSync(at('w'), at('link'));
    expect(fixPaths(policy({ writableRoots: [at('link')] }))).toMatchObject({ roots: [at('w')], notes: [] });
  });
});

describe('places', () => {
  const places = (more: Partial<SandboxPolicy>) => createPlaces(() => {}).of(policy(more));

  test('are taken again when a real folder replaces them', () => {
    mkdirSync(at('w/build'), { recursive: true });
    const { examine } = places({ writableRoots: [at('w'), at('w/build')] });
    const [, before] = examine().roots;
    // The old folder stays: its number could be that of the next one otherwise.
    renameSync(at('w/build'), at('w/other'));
    expect(examine().roots.map((root) => root.path)).toEqual([at('w')]);
    mkdirSync(at('w/build'));
    const [, after] = examine().roots;
    expect(after?.path).toBe(at('w/build'));
    expect(after?.identity).not.toBe(before?.identity);
  });

  test('stop everything once a link has taken a place, even if it goes away', () => {
    mkdirSync(at('w/a/build'), { recursive: true });
    const { examine } = places({ writableRoots: [at('w'), at('w/a/build')] });
    rmSync(at('w/a'), { recursive: true });
    mkdirSync(at('elsewhere/build'), { recursive: true });
    symlinkSync(at('elsewhere'), at('w/a'));
    expect(examine).toThrow(`the writable folder ${at('w/a/build')} was replaced by a link`);
    unlinkSync(at('w/a'));
    mkdirSync(at('w/a/build'), { recursive: true });
    expect(examine).toThrow('was replaced by a link');
  });

  test('that are hidden may be saved anew, but a folder may not be replaced', () => {
    mkdirSync(at('w/hidden'), { recursive: true });
    writeFileSync(at('w/.env'), 'old');
    const { examine } = places({ writableRoots: [at('w')], denyRead: [at('w/.env'), at('w/hidden')] });
    writeFileSync(at('new'), 'new');
    rmSync(at('w/.env'));
    writeFileSync(at('w/.env'), 'new');
    expect(examine().hidden.map((place) => place.path)).toEqual([at('w/.env'), at('w/hidden')]);
    mkdirSync(at('w/other'));
    rmSync(at('w/hidden'), { recursive: true });
    mkdirSync(at('w/x'));
    mkdirSync(at('w/hidden'));
    expect(examine).toThrow(`${at('w/hidden')}, which must not be read, was moved or deleted`);
  });

  test('that are hidden where no command can write may come and go', () => {
    mkdirSync(at('w'));
    const { examine } = places({ writableRoots: [at('w')], keyFiles: [at('home/auth.json')] });
    expect(examine()).toMatchObject({ hidden: [], awaited: [at('home/auth.json')] });
    mkdirSync(at('home'));
    writeFileSync(at('home/auth.json'), '');
    expect(examine()).toMatchObject({ hidden: [{ path: at('home/auth.json') }], awaited: [] });
    rmSync(at('home/auth.json'));
    expect(examine()).toMatchObject({ hidden: [], awaited: [at('home/auth.json')] });
  });

  test('cannot hide everything', () => {
    expect(places({ denyRead: ['/'] }).examine).toThrow('deny_read names the folder /');
  });
});
