import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeadTailBuffer } from './head-tail-buffer.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });

test('an output that fits is returned whole, in any pieces and reads', () => {
  fc.assert(
    fc.property(chunks, fc.array(fc.nat(20)), (parts, readAfter) => {
      let text = '';
      let buffer = createHeadTailBuffer(1000);
      for (const [index, part] of parts.entries()) {
        buffer.append(part);
        if (!readAfter.includes(index)) continue;
        const { text: read, unfinished } = buffer.render();
        text += read;
        buffer = createHeadTailBuffer(1000);
        buffer.append(unfinished);
      }
      const { text: last, unfinished } = buffer.render();
      expect(text + last + Buffer.from(unfinished).toString()).toBe(Buffer.concat(parts).toString());
    }),
  );
});

test('characters are not split between two readings', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (text, at) => {
      const bytes = Buffer.from(text);
      const cut = at % (bytes.length + 1);
      const first = createHeadTailBuffer();
      first.append(bytes.subarray(0, cut));
      const { text: start, unfinished } = first.render();
      const second = createHeadTailBuffer();
      second.append(unfinished);
      second.append(bytes.subarray(cut));
      expect(start + second.render().text).toBe(text);
    }),
  );
});

test('an output that does not fit is reduced to its start, its end and the number of bytes between', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 })), (parts) => {
      const buffer = createHeadTailBuffer(16);
      for (const part of parts) buffer.append(Buffer.from(part));
      const all = parts.join('');
      const gone = all.length - 32;
      const expected = gone <= 0 ? all : `${all.slice(0, 16)}\n... ${gone} bytes omitted ...\n${all.slice(-16)}`;
      expect(buffer.render().text).toBe(expected);
    }),
  );
});

test('the gap lies between characters', () => {
  const buffer = createHeadTailBuffer(4);
  buffer.append(Buffer.from('a€€€€€b'));
  // The buffer keeps a€ and, of the last four bytes, €b.
  expect(buffer.render().text).toBe('a€\n... 9 bytes omitted ...\n€b');
  const odd = createHeadTailBuffer(3);
  odd.append(Buffer.from('a€€€b'));
  expect(odd.render().text).toBe('a\n... 9 bytes omitted ...\nb');
});

test('appended bytes may change afterwards', () => {
  const buffer = createHeadTailBuffer(4);
  const bytes = Buffer.from('abcdef');
  buffer.append(bytes);
  bytes.fill(0);
  expect(buffer.render().text).toBe('abcdef');
});
