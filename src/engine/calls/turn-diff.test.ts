import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { PatchChange } from '../../base/action.ts';
import { createTurnDiff, type DiffedChange } from './turn-diff.ts';

type Tree = Record<string, string>;
type Step = Pick<PatchChange, 'type' | 'path' | 'to' | 'before' | 'after'>;

const add = (path: string, after: string, before: string | null = null): Step => ({ type: 'add', path, before, after });
const update = (path: string, before: string, after: string): Step => ({ type: 'update', path, before, after });
const move = (path: string, to: string, before: string, after = before): Step => ({
  type: 'update',
  path,
  to,
  before,
  after,
});
const remove = (path: string, before: string): Step => ({ type: 'delete', path, before, after: null });

const change = (step: Step): PatchChange => ({ ...step, destroys: false, shown: step.path });

/** Writes diffs as JSON lines, so that tests can read them. */
function start() {
  const diff = createTurnDiff(
    async () => (one) => (one.before === one.after && one.to === undefined ? '' : `${JSON.stringify(one)}\n`),
    (path) => path.slice(1),
  );
  const net = (text: string | undefined) =>
    text
      ?.split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as DiffedChange);
  return {
    add: (...steps: Step[]) => diff.add(steps.map(change)),
    invalidate: diff.invalidate,
    take: async () => net(await diff.take()),
  };
}

describe('the net change', () => {
  test.each<[string, Step[], DiffedChange[]]>([
    ['of one update', [update('/a', '1', '2')], [{ path: 'a', before: '1', after: '2' }]],
    ['of two updates', [update('/a', '1', '2'), update('/a', '2', '3')], [{ path: 'a', before: '1', after: '3' }]],
    [
      'is in the order of the paths',
      [add('/b', 'x'), add('/a', 'y')],
      [
        { path: 'a', before: null, after: 'y' },
        { path: 'b', before: null, after: 'x' },
      ],
    ],
    ['of a new file that changed', [add('/a', '1'), update('/a', '1', '2')], [{ path: 'a', before: null, after: '2' }]],
    ['of a new file that moved', [add('/a', '1'), move('/a', '/b', '1')], [{ path: 'b', before: null, after: '1' }]],
    [
      'follows a file that moves twice',
      [move('/a', '/b', '1', '2'), move('/b', '/c', '2', '3')],
      [{ path: 'a', to: 'c', before: '1', after: '3' }],
    ],
    [
      'of a file that moved and was deleted',
      [move('/a', '/b', '1'), remove('/b', '1')],
      [{ path: 'a', before: '1', after: null }],
    ],
    [
      'of a file that was deleted and made again',
      [remove('/a', '1'), add('/a', '2')],
      [{ path: 'a', before: '1', after: '2' }],
    ],
    [
      'of a file that moved over one that was changed before',
      [update('/b', '1', '2'), move('/a', '/b', '3')],
      [
        { path: 'a', before: '3', after: null },
        { path: 'b', before: '1', after: '3' },
      ],
    ],
    ['of a file that was written over', [add('/a', '2', '1')], [{ path: 'a', before: '1', after: '2' }]],
  ])('%s', async (_, steps, expected) => {
    const turn = start();
    turn.add(...steps);
    expect(await turn.take()).toEqual(expected);
  });

  test('is returned once, and again when it has changed, also to nothing', async () => {
    const turn = start();
    expect(await turn.take()).toBeUndefined();
    turn.add(update('/a', '1', '2'));
    expect(await turn.take()).toHaveLength(1);
    expect(await turn.take()).toBeUndefined();
    turn.add(update('/a', '2', '2'));
    expect(await turn.take()).toBeUndefined();
    turn.add(update('/a', '2', '1'));
    expect(await turn.take()).toEqual([]);
  });

  test('is not returned if a new file is gone again', async () => {
    const turn = start();
    turn.add(add('/a', '1'));
    turn.add(remove('/a', '1'));
    expect(await turn.take()).toBeUndefined();
  });

  test('is no longer returned once it is unknown', async () => {
    const turn = start();
    turn.add(update('/a', '1', '2'));
    turn.invalidate();
    turn.add(update('/b', '1', '2'));
    expect(await turn.take()).toBeUndefined();
  });
});

/** Returns a step of a random kind for this tree, or undefined if the kind makes no sense there. */
function stepIn(tree: Tree, kind: string, path: string, to: string, text: string): Step | undefined {
  const before = tree[path];
  if (kind === 'add') return add(path, text, before ?? null);
  if (before === undefined) return undefined;
  if (kind === 'delete') return remove(path, before);
  // The file that a move overwrites was never read, so its text is unknown.
  if (kind === 'move') return to === path || tree[to] !== undefined ? undefined : move(path, to, before, text);
  return update(path, before, text);
}

function after(tree: Tree, { path, to, after }: Pick<Step, 'path' | 'to' | 'after'>): Tree {
  const { [path]: _, ...rest } = tree;
  return after === null ? rest : { ...rest, [to ?? path]: after };
}

test('the net changes of any steps lead from the tree before to the tree after', async () => {
  const path = fc.constantFrom('/a', '/b', '/c', '/d');
  const step = fc.tuple(fc.constantFrom('add', 'update', 'move', 'delete'), path, path, fc.constantFrom('x', 'y', 'z'));
  const tree = fc.dictionary(path, fc.constantFrom('1', '2'));
  await fc.assert(
    fc.asyncProperty(tree, fc.array(step, { maxLength: 12 }), async (before, steps) => {
      const turn = start();
      let now: Tree = { ...before };
      for (const one of steps) {
        const made = stepIn(now, ...one);
        if (made === undefined) continue;
        turn.add(made);
        now = after(now, made);
      }
      const net = (await turn.take()) ?? [];
      for (const { path: from, before: text } of net) expect(before[`/${from}`] ?? null).toBe(text);
      // All old files are removed before new ones are added, because files may have swapped places.
      const gone = Object.entries(before).filter(([name]) => !net.some(({ path: from }) => `/${from}` === name));
      const arrived = net.flatMap(({ path: from, to, after: text }) =>
        text === null ? [] : [[`/${to ?? from}`, text]],
      );
      expect(Object.fromEntries([...gone, ...arrived])).toEqual(now);
    }),
    { numRuns: runs(2_000) },
  );
});
