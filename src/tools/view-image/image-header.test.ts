import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { type ImageFormat, readImageHeader } from './image-header.ts';
import { animation, plain } from './test-images.ts';

const FORMATS: readonly ImageFormat[] = ['png', 'jpeg', 'gif', 'webp'];
const bytesOf = (latin1: string) => Buffer.from(latin1, 'latin1');

test('real images of any size are recognised with their size', async () => {
  const side = fc.integer({ min: 1, max: 300 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...FORMATS), side, side, async (format, width, height) => {
      const bytes = await plain(width, height, format);
      expect(readImageHeader(bytes)).toEqual({ format, width, height, animated: false });
    }),
    { numRuns: 60 },
  );
});

test.each(['gif', 'webp'] as const)('a %s of several frames is an animation', async (format) => {
  expect(readImageHeader(await animation(20, 10, format))).toEqual({ format, width: 20, height: 10, animated: true });
});

describe('the size is read from the header, whatever follows', () => {
  const sides = fc.record({ width: fc.integer({ min: 1, max: 16_384 }), height: fc.integer({ min: 1, max: 16_384 }) });
  const u16be = (n: number) => String.fromCharCode(n >> 8, n & 255);
  const u16le = (n: number) => String.fromCharCode(n & 255, n >> 8);
  const u32be = (n: number) => u16be(n >>> 16) + u16be(n & 0xffff);
  const segment = (marker: number, body: string) =>
    `\xff${String.fromCharCode(marker)}${u16be(body.length + 2)}${body}`;
  const frame = (width: number, height: number) => segment(0xc0, `\x08${u16be(height)}${u16be(width)}\x03`);
  const chunk = (name: string, body: string) => `RIFF\0\0\0\0WEBP${name}\0\0\0\0${body}`.padEnd(40, '\0');

  const check = (format: ImageFormat, write: (width: number, height: number) => string) =>
    fc.assert(
      fc.property(sides, fc.string(), ({ width, height }, rest) => {
        expect(readImageHeader(bytesOf(write(width, height) + rest))).toMatchObject({ format, width, height });
      }),
    );

  test('PNG', () => check('png', (w, h) => `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${u32be(w)}${u32be(h)}`));
  test('JPEG, after other segments, padding and markers without a length', () => {
    const before = `\xff\xd8${segment(0xe1, 'Exif')}\xff\x01\xff\xff\xff${segment(0xc4, 'table').slice(1)}`;
    check('jpeg', (w, h) => before + frame(w, h));
  });
  test('GIF', () => check('gif', (w, h) => `GIF89a${u16le(w)}${u16le(h)}\0\0\0;`));
  test('WebP, extended', () => {
    const u24 = (n: number) => u16le(n & 0xffff) + String.fromCharCode(n >> 16);
    check('webp', (w, h) => chunk('VP8X', `\0\0\0\0${u24(w - 1)}${u24(h - 1)}`));
  });
  test('WebP, lossless', () => {
    check('webp', (w, h) => {
      const bits = w - 1 + (h - 1) * 2 ** 14;
      return chunk('VP8L', `/${u16le(bits & 0xffff)}${u16le(Math.floor(bits / 65_536))}`);
    });
  });
});

test('a GIF whose frame is larger than its screen is as large as the frame', () => {
  const head = 'GIF89a\x01\0\x01\0\0\0\0';
  expect(readImageHeader(bytesOf(`${head},\0\0\0\0\x40\x9c\x40\x9c\0\x02\0;`))).toMatchObject({
    width: 40_000,
    height: 40_000,
  });
});

test.each([
  ['nothing', ''],
  ['a text', 'GIF or PNG?'],
  ['the name of a format alone', 'GIF89a'],
  ['a PNG without a width', `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${'\0'.repeat(8)}`],
  ['a JPEG that ends before its frame', '\xff\xd8\xff\xd9'.padEnd(40, '\0')],
  ['a JPEG with a picture before its frame', '\xff\xd8\xff\xda\0\x02'.padEnd(40, '\0')],
  ['a RIFF of another kind', 'RIFF\0\0\0\0WAVEfmt '.padEnd(40, '\0')],
  ['a WebP of a kind that is not known', 'RIFF\0\0\0\0WEBPVP9 '.padEnd(40, '\0')],
])('%s is no image', (_, text) => {
  expect(readImageHeader(bytesOf(text))).toBeUndefined();
});

test('any bytes are read without an error', () => {
  const starts = [
    '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
    '\xff\xd8\xff',
    'GIF89a',
    'GIF87a',
    'RIFF\0\0\0\0WEBPVP8X',
    'RIFF\0\0\0\0WEBPVP8 ',
  ];
  fc.assert(
    fc.property(fc.constantFrom('', ...starts), fc.uint8Array({ maxLength: 400 }), (start, rest) => {
      const header = readImageHeader(Buffer.concat([bytesOf(start), rest]));
      if (header) expect(Math.min(header.width, header.height)).toBeGreaterThan(0);
    }),
    { numRuns: runs(3000) },
  );
});

test('every beginning of a real image, and every damaged byte, is read without an error', async () => {
  for (const format of FORMATS) {
    const bytes = format === 'gif' || format === 'webp' ? await animation(9, 7, format) : await plain(9, 7, format);
    for (let end = 0; end <= bytes.length; end++) readImageHeader(bytes.subarray(0, end));
    for (let at = 0; at < bytes.length; at++) readImageHeader(bytes.with(at, (bytes[at] ?? 0) ^ 0xff));
  }
});
