import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameStrings } from './frame-strings.ts';

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

test('all strings that are values are found, in order, in any JSON', () => {
  const anyObject = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(fc.array(anyObject), fc.constantFrom('data: ', 'data:', ''), (objects, prefix) => {
      const parsed = objects.map((object) => JSON.parse(JSON.stringify(object)) as unknown);
      const text = parsed.map((object) => `${prefix}${JSON.stringify(object)}\n\n`).join('');
      const found = frameStrings(text).map(({ start, end }) => JSON.parse(`"${text.slice(start, end)}"`) as unknown);
      expect(found).toEqual(parsed.flatMap(leaves));
    }),
  );
});

test('no text causes an error', () => {
  const broken = fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', '1', '\n', 'data: '),
  });
  fc.assert(
    fc.property(broken, (text) => {
      for (const { start, end } of frameStrings(text)) expect(start).toBeLessThanOrEqual(end);
    }),
  );
});

test('strings of one stream share a label, those of other streams do not', () => {
  const streamOf = (frame: object, content: string) => {
    const text = `data: ${JSON.stringify(frame)}`;
    const start = text.indexOf(`"${content}"`) + 1;
    return frameStrings(text).find((string) => string.start === start)?.stream;
  };
  const call = (index: number, args: string, more = {}) => ({
    id: 'x',
    choices: [{ index: 0, delta: { tool_calls: [{ ...more, function: { arguments: args }, index }] } }],
  });
  const first = streamOf(call(0, 'one', { type: 'function', id: 'call_1' }), 'one');
  expect(first).toBeDefined();
  expect(streamOf(call(0, 'two'), 'two')).toBe(first);
  expect(streamOf(call(1, 'two'), 'two')).not.toBe(first);

  const delta = (type: string, id: string) => streamOf({ type, sequence_number: 7, item_id: id, delta: 'x y' }, 'x y');
  expect(delta('text', 'm1')).toBe(delta('text', 'm1'));
  expect(delta('text', 'm1')).not.toBe(delta('text', 'm2'));
  expect(delta('text', 'm1')).not.toBe(delta('arguments', 'm1'));
});

test('a string of a megabyte is found', () => {
  const text = `data: ${JSON.stringify({ text: 'a"\\'.repeat(400_000) })}`;
  expect(frameStrings(text)).toMatchObject([{ start: 15, end: text.length - 2 }]);
});
