import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InputLine, readInputLines } from './read-input-lines.ts';

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string, { sizes = [1 << 20], longest = 1 << 20 } = {}): Promise<InputLine[]> {
  const lines: InputLine[] = [];
  for await (const line of readInputLines(cut(text, sizes), longest)) lines.push(line);
  return lines;
}

const someLine = fc.oneof(
  fc
    .record({ type: fc.constant('input'), text: fc.string({ unit: 'grapheme' }) })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('{"type":"interrupt"}', '{"type":"compact"}', '{"type":"remove","id":"ü"}', '', '  ', '\r'),
  fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

test('the lines are the same however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(someLine, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (all, sizes, hasEnd) => {
        const text = all.join('\n') + (hasEnd ? '\n' : '');
        const whole = await read(text);
        expect(await read(text, { sizes })).toEqual(whole);
        const spoken = all.flatMap((line, n) => (line.replace(/^\ufeff/, '').trim() === '' ? [] : [n + 1]));
        expect(whole.map(({ line }) => line)).toEqual(spoken);
      },
    ),
  );
});

test('each kind of line becomes its command', async () => {
  const lines = [
    '\ufeff{"type":"input","text":"a\\nb"}\r',
    '{"type":"input","text":"see","images":["x.png","y.png"],"id":"mine","more":1}',
    '{"type":"edit","id":"mine","images":["x.png"]}',
    '{"type":"remove","id":"mine"}',
    '{"type":"interrupt"}',
    '{"type":"compact"}',
  ];
  const image = (path: string) => ({ type: 'local_image', path });
  expect(await read(lines.join('\n'))).toEqual([
    { line: 1, command: { type: 'input', id: undefined, input: [{ type: 'text', text: 'a\nb' }] } },
    {
      line: 2,
      command: { type: 'input', id: 'mine', input: [image('x.png'), image('y.png'), { type: 'text', text: 'see' }] },
    },
    { line: 3, command: { type: 'edit', id: 'mine', input: [image('x.png')] } },
    { line: 4, command: { type: 'remove', id: 'mine' } },
    { line: 5, command: { type: 'interrupt' } },
    { line: 6, command: { type: 'compact' } },
  ]);
});

test('a line that is too long is refused, and the next one is read', async () => {
  const long = JSON.stringify({ type: 'input', text: 'x'.repeat(100) });
  const text = `${long}\n{"type":"compact"}\n${long}`;
  const expected = [
    { line: 1, fault: 'It is longer than 60 bytes.' },
    { line: 2, command: { type: 'compact' } },
    { line: 3, fault: 'It is longer than 60 bytes.' },
  ];
  for (const sizes of [[1], [7], [1000]]) expect(await read(text, { sizes, longest: 60 })).toEqual(expected);
  expect(await read('{"type":"compact"}', { longest: 18 })).toMatchObject([{ command: { type: 'compact' } }]);
});

test.each([
  ['{"type":"input","text":"   "}', 'An "input" needs "text" or "images".'],
  ['{"type":"input","text":"x","id":""}', 'The "id" of "input" is "", not a string.'],
  ['{"type":"input","text":"x","id":null}', 'The "id" of "input" is null, not a string.'],
  ['{"type":"input","images":[""]}', 'The "images" of "input" are [""], not a list of paths.'],
  [
    `{"type":"${'x'.repeat(200)}"}`,
    `Its "type" is "${'x'.repeat(79)}…, not input, edit, remove, interrupt or compact.`,
  ],
  ['null', 'It is not a JSON object such as {"type":"input","text":"go on"}.'],
])('%s is told: %s', async (line, fault) => {
  expect(await read(line)).toEqual([{ line: 1, fault }]);
});
