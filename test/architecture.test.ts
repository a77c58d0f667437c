import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { graphFaults } from './architecture/built-graph.ts';
import { conventionRules } from './architecture/conventions.ts';
import { importsOf } from './architecture/imports.ts';
import { LAYERS, layerRules, upwardEdges } from './architecture/layers.ts';
import { messageRules } from './architecture/messages.ts';
import { ownershipRules } from './architecture/ownership.ts';
import { shapeRules } from './architecture/shape.ts';
import { readTree, type Tree, treeOf } from './architecture/source.ts';
import { wireNameRules } from './architecture/wire-names.ts';

const root = join(import.meta.dirname, '..');
const tree = readTree(root);
const rules = [...layerRules, ...shapeRules, ...ownershipRules, ...conventionRules, ...messageRules, ...wireNameRules];

test('the code is found', () => {
  const paths = tree.files.map((file) => file.path);
  expect(paths).toEqual(expect.arrayContaining(['src/index.ts', 'src/base/item.ts', 'test/architecture.test.ts']));
});

for (const { name, check, broken } of rules) {
  describe(name, () => {
    test('holds', () => {
      expect(check(tree)).toEqual([]);
    });

    test('fails on a broken example', () => {
      expect(check(treeOf(broken.files))).toEqual(broken.gives);
    });
  });
}

describe('the list of a turn in AGENTS.md', () => {
  const page = readFileSync(join(root, 'AGENTS.md'), 'utf8');
  const [, list = ''] = page.split('## A turn, in files');
  const steps = [...list.matchAll(/^\d+\. `(src\/[^`]+)`/gm)].map(([, path]) => path ?? '');

  test('has at most 30 files', () => {
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.length).toBeLessThanOrEqual(30);
  });

  test('can be walked: an earlier file imports each file, directly or through at most two others', () => {
    expect(brokenSteps(tree, steps)).toEqual([]);
  });

  test('is seen to break', () => {
    const chain = { 'a.ts': 'b', 'b.ts': 'c', 'c.ts': 'd', 'd.ts': 'e', 'e.ts': 'a' };
    const files = Object.fromEntries(Object.entries(chain).map(([path, to]) => [path, `import './${to}.ts';`]));
    expect(brokenSteps(treeOf(files), ['a.ts', 'd.ts', 'e.ts'])).toEqual([]);
    expect(brokenSteps(treeOf(files), ['a.ts', 'e.ts', 'f.ts'])).toEqual(['e.ts', 'f.ts']);
  });
});

describe('every edge of the table of layers goes down', () => {
  test('holds', () => {
    expect(upwardEdges(LAYERS)).toEqual([]);
  });

  test('fails on a broken example', () => {
    const layers = {
      a: { may: ['b'] },
      b: { may: ['a'], types: ['c'] },
      c: { may: ['a'], lazily: ['nowhere'] },
    };
    expect(upwardEdges(layers)).toEqual(['a → b', 'b → c', 'c → nowhere']);
  });
});

describe('the build loads only what an entry needs', () => {
  test('holds', () => {
    const path = join(root, 'dist/meta.json');
    expect(existsSync(path), 'dist/meta.json is missing: run `npm run build` first').toBe(true);
    expect(graphFaults(JSON.parse(readFileSync(path, 'utf8')))).toEqual([]);
  });

  test('fails on a broken example', () => {
    expect(graphFaults(BROKEN_BUILD)).toEqual([
      'dist/index.js: reaches src/tui/show.ts (in dist/chunks/tui.js)',
      'dist/wire.js: reaches src/testing/model.ts (in dist/wire.js)',
      'dist/program/cli.js: loads src/engine/turn/turn.ts (in dist/chunks/engine.js)',
      'dist/program/exec/exec.js: loads src/markdown/blocks.ts (in dist/program/exec/chunks/blocks.js)',
      'dist/program/exec/exec.js: loads node_modules/marked/lib/marked.esm.js (in dist/program/exec/chunks/blocks.js)',
      'dist/program/cli.js: loads 30001 bytes at start, at most 30000',
    ]);
    expect(graphFaults({ inputs: {}, outputs: {} })).toContain('dist/program/cli.js: the build has no such entry');
  });
});

/** Returns the files of a walk that no earlier one imports, directly or through at most two others. */
function brokenSteps(walked: Tree, steps: readonly string[]): string[] {
  const imports = new Map(
    walked.files.map((file) => [file.path, importsOf(file).flatMap(({ target }) => target ?? [])]),
  );
  const imported = (paths: readonly string[]) => paths.flatMap((path) => imports.get(path) ?? []);
  const near = (path: string) => {
    const direct = imported([path]);
    const second = imported(direct);
    return new Set([...direct, ...second, ...imported(second)]);
  };
  return steps.filter((step, at) => at > 0 && !steps.slice(0, at).some((earlier) => near(earlier).has(step)));
}

const output = (
  bytes: number,
  sources: string[],
  imports: Metafile['outputs'][string]['imports'] = [],
): Metafile['outputs'][string] => ({
  bytes,
  inputs: Object.fromEntries(sources.map((path) => [path, { bytesInOutput: 1 }])),
  imports,
  exports: [],
});

const BROKEN_BUILD: Metafile = {
  inputs: {},
  outputs: {
    'dist/index.js': output(1, ['src/index.ts'], [{ path: 'dist/chunks/tui.js', kind: 'dynamic-import' }]),
    'dist/store.js': output(1, ['src/store/index.ts']),
    'dist/wire.js': output(1, ['src/wire.ts', 'src/testing/model.ts']),
    'dist/program/cli.js': output(
      29_000,
      ['src/cli/main.ts'],
      [
        { path: 'dist/chunks/engine.js', kind: 'import-statement' },
        { path: 'dist/chunks/tui.js', kind: 'dynamic-import' },
        { path: 'node:fs', kind: 'import-statement', external: true },
      ],
    ),
    'dist/program/exec/exec-AB12CD34.js': output(
      1,
      ['src/cli/commands/exec.ts'],
      [{ path: 'dist/program/exec/chunks/blocks.js', kind: 'import-statement' }],
    ),
    'dist/program/exec/chunks/blocks.js': output(1, [
      'src/markdown/blocks.ts',
      'node_modules/marked/lib/marked.esm.js',
    ]),
    'dist/chunks/engine.js': output(1001, ['src/engine/turn/turn.ts']),
    'dist/chunks/tui.js': output(9_000, ['src/tui/show.ts', 'src/app/agent.ts']),
  },
};
