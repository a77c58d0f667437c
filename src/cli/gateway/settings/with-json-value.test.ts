import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/harness/runs.ts';
import { meaningOf, readJson } from './read-json.ts';
import { nested, withJsonValue } from './with-json-value.ts';

const read = (text: string | undefined): unknown => {
  const node = text === undefined ? undefined : readJson(text);
  return node && meaningOf(node);
};

test('a new key is added at the end of its object, in the style of the file', () => {
  const before = `{
    // Editor
    "theme": "One", // mine
    "env": {
        "A": "1" /* kept */ // too
    },
}
`;
  expect(withJsonValue(before, ['env', 'B'], '2')).toBe(
    before.replace('"1" /* kept */ // too', '"1", /* kept */ // too\n        "B": "2"'),
  );
  expect(withJsonValue(before, ['models', 'oxbow'], { url: 'x', list: [1] })).toBe(
    before.replace(
      '\n    },\n}',
      '\n    },\n    "models": {\n        "oxbow": {\n            "url": "x",\n            "list": [\n                1\n            ]\n        }\n    }\n}',
    ),
  );
});

test('an old value is replaced where it stands, and an equal one is left alone', () => {
  const before = '{\r\n\t"a": {"b": [1, 2],}, // c\r\n\t"d": 1\r\n}';
  expect(withJsonValue(before, ['a', 'b'], [1, 2])).toBe(before);
  expect(withJsonValue(before, ['d'], 'x')).toBe(before.replace('1\r\n}', '"x"\r\n}'));
  expect(withJsonValue(before, ['a', 'c'], 3)).toBe(before.replace('2],}', '2], "c": 3}'));
});

test.each([
  ['', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ['{}', '{\n  "a": {\n    "b": 1\n  }\n}'],
  ['{ // empty\n}', '{ // empty\n  "a": {\n    "b": 1\n  }\n}'],
  ['{"a": {}}', '{"a": {\n  "b": 1\n}}'],
])('%j becomes %j', (before, after) => {
  expect(withJsonValue(before, ['a', 'b'], 1)).toBe(after);
});

test.each([
  '[]',
  '{"a": 1}',
  '{"a": null}',
  '{"a"}',
  '{"a": {}',
  '{"a": {}} x',
  '{,}',
  '{"a": {} "c": 1}',
  '{"a": [1 2]}',
])('%j is refused', (text) => {
  expect(withJsonValue(text, ['a', 'b'], 1)).toBeUndefined();
});

test('JSON is read as the parser of the language reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2, '\t'), (text, indent) => {
      const value = JSON.parse(text);
      expect(read(JSON.stringify(value, null, indent))).toEqual(value);
    }),
    { numRuns: runs(500) },
  );
});

/** Returns a text of JSON with comments, blanks and commas that only editors allow. */
function loose(value: unknown, gap: () => string, lastComma: string): string {
  if (Array.isArray(value))
    return `[${value.map((one) => `${gap()}${loose(one, gap, lastComma)}${gap()}`).join(',')}${gap()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${gap()}${JSON.stringify(key)}${gap()}:${gap()}${loose(one, gap, lastComma)}${gap()}`,
  );
  return `{${members.join(',')}${members.length > 0 ? lastComma : ''}${gap()}}`;
}

test('only the key changes, all comments stay, and a second time changes nothing', () => {
  const key = fc.constantFrom('a', 'b', '"', '{', '//', '__proto__');
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.constantFrom(1, 'x // y', null, '/* z */'),
      fc.dictionary(key, tie('value')),
      fc.array(tie('value'), { maxLength: 2 }),
    ),
  })).value;
  const gaps = fc.array(fc.constantFrom('', ' ', '\n', '\t', '\r\n  ', '/* , } */', '// "a": 1 {\n', '\n  // x\r\n'), {
    minLength: 40,
    maxLength: 40,
  });
  const object = fc.dictionary(key, tree);
  fc.assert(
    fc.property(
      object,
      gaps,
      fc.constantFrom('', ','),
      fc.array(key, { minLength: 1, maxLength: 3 }),
      tree,
      (value, list, lastComma, path, wanted) => {
        let at = 0;
        const text = loose(value, () => list[at++ % list.length] ?? '', lastComma);
        const after = withJsonValue(text, path, wanted);
        const expected = changed(value, path, wanted);
        expect(after === undefined).toBe(expected === undefined);
        if (after === undefined) return;
        expect(JSON.stringify(sorted(read(after)))).toBe(JSON.stringify(sorted(expected)));
        expect(withJsonValue(after, path, wanted)).toBe(after);
        if (has(value, path)) return;
        for (const gap of new Set(list.slice(0, at))) expect(after).toContain(gap.trim());
      },
    ),
    { numRuns: runs(1000) },
  );
});

function changed(value: unknown, [key = '', ...rest]: readonly string[], wanted: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const old = Object.getOwnPropertyDescriptor(value, key)?.value;
  const isThere = Object.hasOwn(value, key);
  const below = rest.length === 0 ? wanted : isThere ? changed(old, rest, wanted) : nested(rest, wanted);
  if (below === undefined) return undefined;
  return Object.fromEntries([...Object.entries(value).filter(([name]) => name !== key), [key, below]]);
}

function has(value: unknown, [key = '', ...rest]: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return rest.length === 0 || has(Object.getOwnPropertyDescriptor(value, key)?.value, rest);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return Array.isArray(value) ? value.map(sorted) : value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)]);
}
