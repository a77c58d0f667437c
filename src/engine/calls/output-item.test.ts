import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContentPart } from '../../base/item.ts';
import { boundOutput } from './output-item.ts';

const limit = { unit: 'bytes', limit: 100 } as const;
const text = (value: string): ContentPart => ({ type: 'input_text', text: value });
const image: ContentPart = { type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(1000)}` };

test('a text loses its middle above the limit and some headroom, and a single text is a string', () => {
  expect(boundOutput('x'.repeat(120), limit)).toBe('x'.repeat(120));
  expect(boundOutput('x'.repeat(121), limit)).toBe(`${'x'.repeat(60)}…1 chars truncated…${'x'.repeat(60)}`);
  expect(boundOutput([text('short')], limit)).toBe('short');
  expect(boundOutput([text('x'.repeat(121))], limit)).toContain('truncated');
});

test('texts share the limit in their order, later texts are counted, and images stay whole', () => {
  const parts = [text('a'.repeat(80)), image, text('b'.repeat(80)), text('c'), image, text('d')];
  expect(boundOutput(parts, limit)).toEqual([
    text('a'.repeat(80)),
    image,
    text(`${'b'.repeat(20)}…40 chars truncated…${'b'.repeat(20)}`),
    image,
    text('[omitted 2 text items ...]'),
  ]);
});

test('tokens count as four bytes', () => {
  const parts = [text('é'.repeat(100)), text('x'.repeat(100)), text('y'.repeat(400))];
  expect(boundOutput(parts, { unit: 'tokens', limit: 100 })).toEqual([
    text('é'.repeat(100)),
    text('x'.repeat(100)),
    text(`${'y'.repeat(90)}…55 tokens truncated…${'y'.repeat(90)}`),
  ]);
});

test('the texts of any parts stay near the limit, and nothing else is changed', () => {
  const part = fc.oneof(fc.string({ maxLength: 300, unit: 'grapheme' }).map(text), fc.constant(image));
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 10 }), (parts) => {
      const bounded = boundOutput(parts, limit);
      if (typeof bounded === 'string') throw new Error('several parts are no string');
      const bytes = bounded.map((one) => (one.type === 'input_text' ? Buffer.byteLength(String(one.text)) : 0));
      // One note for the cut text, one for the omitted texts.
      expect(bytes.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(120 + 80);
      expect(bounded.filter((one) => one === image)).toEqual(parts.filter((one) => one === image));
    }),
  );
});
