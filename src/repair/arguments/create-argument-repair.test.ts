import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../base/json-schema.ts';
import { MAX_DEPTH } from '../limits.ts';
import { createArgumentRepair } from './create-argument-repair.ts';
import { cuttings, type RepairRunOptions, repairPieces } from './fixtures/repair-pieces.ts';

/** Repairs a text cut at every place. Returns the objects, the repairs, and whether the text is broken. */
function repair(text: string, options: RepairRunOptions = {}): unknown[] {
  const [first, ...others] = cuttings(text).map((pieces) => repairPieces(pieces, options));
  for (const other of others) expect(other).toEqual(first);
  const { objects, ids, state } = first ?? expect.unreachable();
  return [...objects, ids.join(' '), ...(state === 'broken' ? ['broken'] : [])];
}

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});

const LIST = object({ plan: { type: 'array', items: object({ step: { type: 'string' }, tags: { type: 'array' } }) } });

describe('arguments without a fault', () => {
  test.each([
    '{}',
    ' {"a": [1, -2.5e+10, true, false, null, "x", {}], "b": {"c": []}}\n',
    String.raw`{"a":"\"\\\/\b\f\n\r\té\ud83d\ude42","é":"}{"}`,
  ])('%s stays as it is', (text) => {
    expect(repair(text)).toEqual([text, '']);
  });

  test('come out piece by piece', () => {
    const repair = createArgumentRepair({ schema: LIST, htmlEntities: false, onRepair: expect.unreachable });
    const pieces = ['{"', 'plan', '": [', '{"step"', ':"a, b\\', 'n c"}', ']', '}', '\n'];
    for (const piece of pieces) expect(repair.push(piece)).toEqual([{ object: 0, text: piece }]);
    expect(repair.end(false)).toEqual({ pieces: [], state: 'whole' });
  });

  test('null where a text is declared is not kept waiting', () => {
    const schema = object({ a: { type: 'string' }, b: { type: ['string', 'null'] } });
    const repair = createArgumentRepair({ schema, htmlEntities: false, onRepair: expect.unreachable });
    expect(repair.push('{"a":nul')).toEqual([{ object: 0, text: '{"a":nul' }]);
    expect(repair.push('l,"b":null')).toEqual([{ object: 0, text: 'l,"b":null' }]);
  });
});

describe('the state', () => {
  test('distinguishes a blank text, an open object and a complete one', () => {
    const repair = createArgumentRepair({ schema: undefined, htmlEntities: false, onRepair: () => {} });
    const states = [' ', '{"a"', ':1', '}', ' ', '{', '"b":1}'].map((piece) => {
      repair.push(piece);
      return repair.state;
    });
    expect(states).toEqual(['blank', 'open', 'open', 'complete', 'complete', 'open', 'complete']);
  });
});

describe('arguments that are null (C1)', () => {
  test.each([
    ['null', ['{}', 'C1']],
    [' null\n', [' {}\n', 'C1']],
    ['nul', ['nul', '']],
    ['nullable', ['nullable', '']],
    ['null{}', ['null{}', '']],
  ])('%j', (text, result) => {
    expect(repair(text)).toEqual(result);
  });

  test('do not become an object at a limit', () => {
    expect(repair('null', { cut: true })).toEqual(['null', '', 'broken']);
  });
});

describe('arguments encoded twice (C2)', () => {
  test.each([
    ['"{\\"n\\":2}"', ['{"n":2}', 'C2']],
    [' "{\\"n\\":2}" ', [' {"n":2} ', 'C2']],
    ['"{\\"n\\":2}{\\"n\\":3}"', ['{"n":2}', '{"n":3}', 'C2 C6']],
    ['"{\\"re\\":\\"\\d\\"}"', ['{"re":"\\\\d"}', 'C2 C9']],
    ['"ls"', ['"ls"', '']],
    ['"\\d\n"', ['"\\d\n"', '']],
    ['"[1]"', ['"[1]"', '']],
    ['"\\"{}\\""', ['"\\"{}\\""', '']],
    ['"{"n":2}"', ['"{"n":2}"', '']],
    ['"{\\"n\\":2', ['"{\\"n\\":2', '', 'broken']],
  ])('%j', (text, result) => {
    expect(repair(text)).toEqual(result);
  });

  test('are repaired like any others once they are decoded', () => {
    const text = JSON.stringify(JSON.stringify({ plan: '[{"step":"x"}]' }));
    expect(repair(text, { schema: LIST })).toEqual(['{"plan":[{"step":"x"}]}', 'C2 C3']);
  });

  test('are held until they are complete', () => {
    const repair = createArgumentRepair({ schema: undefined, htmlEntities: false, onRepair: () => {} });
    expect(repair.push('"{\\"n\\":')).toEqual([]);
    expect(repair.state).toBe('open');
    expect(repair.push('2}"')).toEqual([{ object: 0, text: '{"n":2}' }]);
    expect(repair.state).toBe('complete');
  });
});

describe('a list or an object as a text (C3)', () => {
  test.each([
    [{ plan: '[{"step":"Review"}]' }, '{"plan":[{"step":"Review"}]}'],
    [{ plan: ' [ ] ' }, '{"plan": [ ]}'],
    [{ plan: '[{"step":"[1]","tags":"[\\"a\\"]"}]' }, '{"plan":[{"step":"[1]","tags":["a"]}]}'],
    [{ plan: ['{"step":"x"}'] }, '{"plan":[{"step":"x"}]}'],
  ])('%j is decoded where the schema says so', (value, result) => {
    expect(repair(JSON.stringify(value), { schema: LIST })).toEqual([result, 'C3']);
  });

  test.each([
    [{ plan: '{"step":"x"}' }],
    [{ plan: '[1' }],
    [{ plan: '[1] and more' }],
    [{ plan: "['a']" }],
    [{ plan: '' }],
    [{ plan: 'first this, then that' }],
    [{ other: '[1]' }],
  ])('%j stays a text', (value) => {
    expect(repair(JSON.stringify(value), { schema: LIST })).toEqual([JSON.stringify(value), '']);
  });

  test.each<[JsonSchema]>([
    [{ type: ['string', 'array'] }],
    [{ anyOf: [{ type: 'array' }, { type: 'string' }] }],
    [{ anyOf: [{ type: 'array' }, {}] }],
    [{}],
    [{ type: 'list' }],
  ])('it stays a text where %j', (a) => {
    expect(repair('{"a":"[1]"}', { schema: object({ a }) })).toEqual(['{"a":"[1]"}', '']);
  });

  test('without a schema it stays a text', () => {
    expect(repair('{"plan":"[1]"}')).toEqual(['{"plan":"[1]"}', '']);
  });

  test('faults inside the text are repaired too', () => {
    expect(repair(JSON.stringify({ plan: '[{"step":"\\d"},]' }), { schema: LIST })).toEqual([
      '{"plan":[{"step":"\\\\d"}]}',
      'C3 C9',
    ]);
  });
});

describe('empty arguments (C4)', () => {
  test.each([
    ['', ['{}', 'C4']],
    [' \n', [' \n{}', 'C4']],
  ])('%j become an object', (text, result) => {
    expect(repair(text)).toEqual(result);
  });

  test('stay broken at a limit', () => {
    expect(repairPieces([], { cut: true })).toMatchObject({ objects: [], repairs: [], state: 'broken' });
  });
});

describe('the same arguments again (C5)', () => {
  test.each([
    ['{}{}', ['{}', 'C5']],
    ['{}{}{}\n{}', ['{}\n', 'C5']],
    ['{"a": "x y"}{"a":"x y" }', ['{"a": "x y"}', 'C5']],
    ['{"a":"}{\\""}{"a":"}{\\""}', ['{"a":"}{\\""}', 'C5']],
    ['{}{', ['{}', 'C5']],
    ['{"a":[1]}{"a":[1', ['{"a":[1]}', 'C5']],
  ])('%j are given once', (text, result) => {
    expect(repair(text)).toEqual(result);
  });
});

describe('the arguments of several calls (C6)', () => {
  test.each([
    ['{"url":"a"}{"url":"b"}', ['{"url":"a"}', '{"url":"b"}', 'C6']],
    ['{"url":"a"}\n{"url":"a","n":1}\n{}', ['{"url":"a"}\n', '{"url":"a","n":1}\n', '{}', 'C6']],
    ['{"a":1}{"a":1}{"a":2}', ['{"a":1}', '{"a":2}', 'C5 C6']],
    ['{"a":"x y"}{"a":"xy"}', ['{"a":"x y"}', '{"a":"xy"}', 'C6']],
    ['{"a":1}{"a":"\\d"}', ['{"a":1}', '{"a":"\\\\d"}', 'C6 C9']],
    ['{"a":"x"}{"a":"', ['{"a":"x"}', '{"a":"', 'C6', 'broken']],
    ['{"a":"x"}{"b":"y', ['{"a":"x"}', '{"b":"y', 'C6', 'broken']],
    ['{"a":"x"}{', ['{"a":"x"}', '{', 'C6', 'broken']],
    ['{"a":1,"b":2}{"a":1', ['{"a":1,"b":2}', '{"a":1', 'C6', 'broken']],
    ['{"a":"x"}{"b":"y"', ['{"a":"x"}', '{"b":"y"}', 'C6 C7']],
  ])('%j', (text, result) => {
    expect(repair(text)).toEqual(result);
  });

  test('a second object is held only while it may repeat the first', () => {
    const repair = createArgumentRepair({ schema: undefined, htmlEntities: false, onRepair: () => {} });
    repair.push('{"url":"a"}');
    expect(repair.push('{"url":"')).toEqual([]);
    expect(repair.push('b')).toEqual([{ object: 1, text: '{"url":"b' }]);
    expect(repair.push('c')).toEqual([{ object: 1, text: 'c' }]);
  });
});

describe('missing brackets (C7)', () => {
  test.each([
    ['{"path":"x"', '{"path":"x"}'],
    ['{"a":[{"b":"x"}', '{"a":[{"b":"x"}]}'],
    ['{"a":{"b":[1, true', '{"a":{"b":[1, true]}}'],
    ['{"a":{"b":[1, 2 ', '{"a":{"b":[1, 2 ]}}'],
    ['{"a":true ', '{"a":true }'],
    ['{"a":[', '{"a":[]}'],
  ])('%s is closed', (text, result) => {
    expect(repair(text)).toEqual([result, 'C7']);
    expect(repair(text, { cut: true })).toEqual([text, '', 'broken']);
  });

  test.each([
    '{"path":"x","content":"abc',
    '{"path":"x\\',
    '{"path":"x\\u12',
    '{"path',
    '{"path"',
    '{"path":',
    '{"a":1,',
    '{"a":1, ',
    '{"a":[1,',
    '{"a":tr',
    '{"a":-',
    '{"a":1.',
    '{"a":1e+',
    '{"a":12x',
    '{"a":12',
    '{"a":[1, -2.5e3',
    '{"x": "<</arg_value>}',
  ])('%s is broken', (text) => {
    expect(repair(text)).toEqual([text, '', 'broken']);
  });

  test('a bare bracket is closed only if nothing is required', () => {
    expect(repair('{', { schema: object({ a: {} }) })).toEqual(['{}', 'C7']);
    expect(repair('{', { schema: object({ a: {} }, ['a']) })).toEqual(['{', '', 'broken']);
    expect(repair('{')).toEqual(['{', '', 'broken']);
  });

  test('nothing is closed while a required property is missing', () => {
    const edit = object({ old: {}, new: {} }, ['old', 'new']);
    const schema = object({ path: {}, edits: { type: 'array', items: edit } }, ['path', 'edits']);
    const closed = '{"path":"x","edits":[{"old":"a","n\\u0065w":"b"}]}';
    expect(repair('{"path":"x"', { schema })).toEqual(['{"path":"x"', '', 'broken']);
    expect(repair('{"path":"x","edits":[{"old":"a"', { schema })).toContain('broken');
    expect(repair('{"edits":[{"old":"a","new":"b"}]', { schema })).toContain('broken');
    expect(repair(closed.slice(0, -1), { schema })).toEqual([closed, 'C7']);
    expect(repair(closed.slice(0, -3), { schema })).toEqual([closed, 'C7']);
  });

  test('a bare text at the end may be incomplete', () => {
    const schema = object({ a: { type: 'string' } });
    expect(repair('{"a":12', { schema })).toEqual(['{"a":12', '', 'broken']);
    expect(repair('{"a":x', { schema })).toEqual(['{"a":x', '', 'broken']);
  });

  test('a number at the end may have more digits, whatever the tool declares', () => {
    for (const type of ['integer', ['string', 'number'], ['number', 'null']]) {
      const schema = object({ a: { type } });
      expect(repair('{"a":1', { schema })).toEqual(['{"a":1', '', 'broken']);
      expect(repair('{"a":1\n', { schema })).toEqual(['{"a":1\n}', 'C7']);
    }
  });
});

describe('HTML entities (C8)', () => {
  test.each([
    ['source .env &amp;&amp; echo &quot;done&quot;', 'source .env && echo \\"done\\"'],
    ['&amp;amp; &amp;lt;', '&amp; &lt;'],
    ['&lt;a&gt; &apos;&#39;&#x27; &#10;&#92;&#128578;', "<a> ''' \\n\\\\🙂"],
    ['a \\u0026amp; b \\u0026\\u0026', 'a & b \\u0026\\u0026'],
    ['\\\\&lt;\\d&gt;', '\\\\<\\\\d>'],
  ])('%s', (text, decoded) => {
    const result = repair(`{"&amp;":"${text}"}`, { htmlEntities: true });
    expect(result[0]).toBe(`{"&amp;":"${decoded}"}`);
    expect(result[1]).toContain('C8');
  });

  test.each(['a & b && c', '&', '&nbsp; &; &#; &#x; &#xD800; &#9999999;', '&amp', '&am p;', 'x &amp\\n;'])(
    '%s stays',
    (text) => {
      expect(repair(`{"a":"${text}"}`, { htmlEntities: true })).toEqual([`{"a":"${text}"}`, '']);
    },
  );

  test('stay if the server does not write them', () => {
    expect(repair('{"a":"&amp;"}')).toEqual(['{"a":"&amp;"}', '']);
  });

  test('are decoded before a text is read as a list', () => {
    expect(
      repair('{"plan":"[{&quot;step&quot;:&quot;&amp;lt;&quot;}]"}', { schema: LIST, htmlEntities: true }),
    ).toEqual(['{"plan":[{"step":"&lt;"}]}', 'C8 C3']);
  });

  test('are decoded once in arguments that were encoded twice', () => {
    const text = JSON.stringify(JSON.stringify({ a: '&amp;quot; &quot;' }));
    expect(repair(text, { htmlEntities: true })).toEqual(['{"a":"&quot; \\""}', 'C2 C8']);
  });
});

describe('characters that JSON does not allow (C9)', () => {
  test.each([
    ['{"path":"C:\\dir","re":"\\d+"}', '{"path":"C:\\\\dir","re":"\\\\d+"}'],
    ['{"a":"\\u12 \\u \\uXYZW \\u00e9"}', '{"a":"\\\\u12 \\\\u \\\\uXYZW \\u00e9"}'],
    ['{"a":"\\\\\\d \\\\d"}', '{"a":"\\\\\\\\d \\\\d"}'],
    ['{"a":"one\ntwo\tthree\r\u0001"}', '{"a":"one\\ntwo\\tthree\\r\\u0001"}'],
    ['{"a":"x \\\n y"}', '{"a":"x \\\\\\n y"}'],
    ['{"\\k":1}', '{"\\\\k":1}'],
    ['{"a":1,}', '{"a":1}'],
    ['{"a":[1, 2 ,\n ],\n}', '{"a":[1, 2 \n ]\n}'],
    ['{"a":True,"b":[False , None]}', '{"a":true,"b":[false , null]}'],
    ['{"a":1}}', '{"a":1}'],
    ['{"a":1} ]}\n', '{"a":1} \n'],
  ])('%j', (text, result) => {
    expect(repair(text)).toEqual([result, 'C9']);
  });

  test.each([
    `{'a': 1}`,
    `{"a": 'x'}`,
    '{a: 1}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":[1}',
    '{,}',
    '{"a":[1,,2]}',
    '{"a":,}',
    '{"cmd":"echo "hi""}',
    '{"a":1} and more {}',
    '{"a":12x}',
    '{"a":Trueish}',
  ])('%s is left to the tool', (text) => {
    expect(repair(text)).toEqual([text, '']);
    expect(() => JSON.parse(text)).toThrow();
  });

  test('a closing bracket too many does not hide the next object', () => {
    expect(repair('{"a":1}}{"a":2}')).toEqual(['{"a":1}', '{"a":2}', 'C9 C6']);
  });
});

describe('an argument of another type (C10)', () => {
  const schema = object({
    s: { type: 'string' },
    i: { type: 'integer' },
    n: { type: ['number', 'null'] },
    b: { type: 'boolean' },
    u: { type: ['string', 'number'] },
    e: { enum: ['a', 'b'] },
  });

  test.each([
    ['{"i":"123"}', '{"i":123}'],
    ['{"n":"-1.5e3","b":"true"}', '{"n":-1.5e3,"b":true}'],
    ['{"b":"False","n":"null"}', '{"b":false,"n":null}'],
    ['{"s":123abc}', '{"s":"123abc"}'],
    ['{"s": /tmp/a.txt , "u":12x}', '{"s": "/tmp/a.txt" , "u":"12x"}'],
    ['{"s":123,"e":true}', '{"s":"123","e":"true"}'],
    ['{"s":-0.50}', '{"s":"-0.50"}'],
    ['{"s":True}', '{"s":"True"}'],
  ])('%s', (text, result) => {
    expect(repair(text, { schema })).toEqual([result, 'C10']);
  });

  test('a key whose escapes are repaired is the property of that name', () => {
    const schema = object({ 'a"\\;': { type: 'string' }, 'b\\\n': { type: 'string' } });
    const text = '{"a\\"\\;":12x,"b\\\\\n":12x}';
    const result = '{"a\\"\\\\;":"12x","b\\\\\\n":"12x"}';
    expect(repair(text, { schema })).toEqual([result, 'C9 C10']);
    expect(repair(result, { schema })).toEqual([result, '']);
  });

  test.each([
    '{"i":"1.5"}',
    '{"i":" 1"}',
    '{"i":"12x"}',
    '{"i":"true"}',
    '{"i":true}',
    '{"b":"yes"}',
    '{"b":1}',
    '{"u":"1"}',
    '{"u":1}',
    '{"s":"1"}',
    '{"s":null}',
    '{"s":{}}',
    '{"s":[1]}',
    '{"x":"1"}',
    '{"i":12x}',
    '{"s":ls -la}',
    `{"s":'x'}`,
    `{"s":${'x'.repeat(300)}}`,
  ])('%s stays', (text) => {
    expect(repair(text, { schema })).toEqual([text, '']);
  });
});

describe('arguments that are not an object', () => {
  test.each(['cmd: ls', '[1, 2', '12', 'true', '<a>{"b":1}</a>', '- {'])('%s passes unchanged', (text) => {
    expect(repair(text)).toEqual([text, '']);
    expect(repair(text, { cut: true })).toEqual([text, '', 'broken']);
    const created = createArgumentRepair({ schema: LIST, htmlEntities: true, onRepair: expect.unreachable });
    expect(created.push(text)).toEqual([{ object: 0, text }]);
  });
});

describe('limits', () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

  test('arguments may be nested up to a limit', () => {
    expect(repairPieces([nested(MAX_DEPTH)])).toMatchObject({ objects: [nested(MAX_DEPTH)], state: 'whole' });
    expect(repairPieces([nested(MAX_DEPTH + 1)])).toMatchObject({ objects: [nested(MAX_DEPTH + 1)], state: 'broken' });
    expect(repairPieces([`{"a":${'['.repeat(1_000_000)}`]).state).toBe('broken');
  });

  test('the depth of a text includes the lists and objects around it', () => {
    const schema: JsonSchema = { type: 'object', additionalProperties: { $ref: '#' } };
    const text = (depth: number) => JSON.stringify({ a: nested(depth - 1) });
    expect(repairPieces([text(MAX_DEPTH)], { schema }).ids).toEqual(['C3']);
    expect(repairPieces([text(MAX_DEPTH + 1)], { schema })).toMatchObject({ ids: [], state: 'whole' });
  });

  test('a text inside a text inside a text is decoded', () => {
    const schema: JsonSchema = {
      type: 'object',
      additionalProperties: { type: 'array', items: { $ref: '#/$defs/l' } },
      $defs: { l: { type: 'array', items: { $ref: '#/$defs/l' } } },
    };
    let text = '[]';
    let list = '[]';
    for (let i = 0; i < 12; i++) {
      text = JSON.stringify([text]);
      list = `[${list}]`;
    }
    expect(repairPieces([JSON.stringify({ a: text })], { schema })).toMatchObject({
      objects: [`{"a":${list}}`],
      ids: ['C3'],
    });
  });
});

describe('a report', () => {
  test.each([
    ['{"a":"\\d \\w"}', { id: 'C9', before: '\\d', after: '\\\\d' }],
    ['{"plan":"[1]"}', { id: 'C3', before: '"[1]"', after: '[1]' }],
    ['{}{}', { id: 'C5', before: '{}{}', after: '{}' }],
    ['{}{"a":1}', { id: 'C6', before: '{}{', after: '{}' }],
    ['{"a":[null', { id: 'C7', before: '', after: ']}' }],
  ])('of %s', (text, repair) => {
    expect(repairPieces([text], { schema: LIST }).repairs).toEqual([repair]);
  });

  test('is short', () => {
    const [repair] = repairPieces([JSON.stringify({ plan: JSON.stringify(['x'.repeat(1000)]) })], {
      schema: LIST,
    }).repairs;
    expect(repair?.before).toHaveLength(80);
    expect(repair?.after).toHaveLength(80);
  });
});
