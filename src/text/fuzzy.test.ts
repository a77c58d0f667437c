import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { createFuzzy } from './fuzzy.ts';

const PATHS = [
  'src/tui/render/render-item99.ts',
  'src/tui/render/render-item98.ts',
  'docs/turing/end-of-99.md',
  'src/app/agent.ts',
  'src/app/agent-life.ts',
  'src/app/thread/thread.ts',
  'src/app/thread/set-up-thread.ts',
  'test/threads/read.ts',
  'src/wire/fields/createParser.ts',
  'README.md',
  'src/model/read-me.ts',
];

const first = (query: string) => createFuzzy(PATHS).search(query, 3)[0]?.name;

test.each([
  ['tuirend99', 'src/tui/render/render-item99.ts'],
  ['tuirend98', 'src/tui/render/render-item98.ts'],
  ['agent', 'src/app/agent.ts'],
  ['agentl', 'src/app/agent-life.ts'],
  ['al', 'src/app/agent-life.ts'],
  ['thread', 'src/app/thread/thread.ts'],
  ['sut', 'src/app/thread/set-up-thread.ts'],
  ['thread/set', 'src/app/thread/set-up-thread.ts'],
  ['cp', 'src/wire/fields/createParser.ts'],
  ['readme', 'README.md'],
  ['READ ME', 'README.md'],
])('%s finds %s', (query, expected) => {
  expect(first(query)).toBe(expected);
});

test('marks are the letters that were found', () => {
  const [match] = createFuzzy(['src/app/agent-life.ts']).search('agl', 1);
  expect(match?.marks).toEqual([8, 9, 14]);
});

test('an index can grow, also between the letters of a query', () => {
  const fuzzy = createFuzzy(['a/one.ts']);
  expect(fuzzy.search('o', 9).map(({ name }) => name)).toEqual(['a/one.ts']);
  fuzzy.add(['a/onto.ts', 'b/two.ts']);
  expect(fuzzy.size).toBe(3);
  expect(fuzzy.search('on', 9).map(({ name }) => name)).toEqual(['a/one.ts', 'a/onto.ts']);
  expect(fuzzy.search('', 2).map(({ name }) => name)).toEqual(['a/one.ts', 'a/onto.ts']);
  expect(fuzzy.search('xyz', 2)).toEqual([]);
});

test('a name is found exactly if it has the letters in order, and a longer query finds no more', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', '1', '/', '-', 'é', 'İ', '😀') });
  fc.assert(
    fc.property(fc.array(name, { maxLength: 20 }), fc.array(name, { maxLength: 4 }), (names, queries) => {
      const fuzzy = createFuzzy(names);
      for (const query of queries.flatMap((each) => [each.slice(0, 1), each])) {
        const letters = query.toLowerCase();
        const found = fuzzy.search(query, 100);
        const expected = names.filter((each) => letters === '' || hasInOrder(lowered(each), letters));
        expect(found.map((match) => match.name).sort(byText)).toEqual(expected.sort(byText));
        expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((one, two) => two - one));
        for (const match of found)
          if (letters !== '') expect(match.marks.map((at) => lowered(match.name)[at]).join('')).toBe(letters);
      }
    }),
    { numRuns: runs(2000) },
  );
});

const byText = (one: string, two: string) => (one < two ? -1 : one > two ? 1 : 0);

const lowered = (name: string) => (name.toLowerCase().length === name.length ? name.toLowerCase() : name);

function hasInOrder(text: string, letters: string): boolean {
  let at = -1;
  for (const letter of letters.split('')) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return false;
  }
  return true;
}
