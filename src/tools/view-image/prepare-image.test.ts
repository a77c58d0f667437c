import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { readImageHeader } from './image-header.ts';
import { IMAGE_LIMITS } from './limits.ts';
import { prepareImage } from './prepare-image.ts';
import { animation, noise, plain } from './test-images.ts';

const high = { detail: 'high', shown: 'a.png', sharp } as const;
const original = { ...high, detail: 'original' } as const;
const without = { ...high, sharp: undefined };
const INVALID = 'unable to process image: invalid or unsupported image data';

/** Returns a PNG that declares this size and has one pixel. */
async function declared(width: number, height: number): Promise<Buffer> {
  const bytes = await plain(1, 1, 'png');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

describe('an image within the limits is not changed', () => {
  test.each(['png', 'jpeg', 'webp'] as const)('%s', async (format) => {
    const bytes = await plain(200, 100, format);
    expect(await prepareImage(bytes, high)).toEqual({ mime: `image/${format}`, bytes });
    expect(await prepareImage(bytes, without)).toEqual({ mime: `image/${format}`, bytes });
  });

  test('a tiny image is not scaled up', async () => {
    const { bytes } = await prepareImage(await animation(3, 2, 'gif'), high);
    expect(readImageHeader(bytes)).toMatchObject({ width: 3, height: 2 });
  });
});

describe('an image that is too large is made smaller', () => {
  test.each([
    ['png', 3000, 1500, 2000, 1000],
    ['jpeg', 1000, 4000, 500, 2000],
    ['webp', 2001, 10, 2000, 10],
  ] as const)('%s of %i x %i becomes %i x %i in its own format', async (format, width, height, w, h) => {
    const { mime, bytes } = await prepareImage(await plain(width, height, format), high);
    expect(mime).toBe(`image/${format}`);
    expect(readImageHeader(bytes)).toMatchObject({ format, width: w, height: h });
  });

  test('an original keeps its pixels up to the limit for originals', async () => {
    const bytes = await plain(3000, 20, 'png');
    expect((await prepareImage(bytes, original)).bytes).toBe(bytes);
    expect(readImageHeader((await prepareImage(await plain(7000, 70, 'png'), original)).bytes)).toMatchObject({
      width: 6000,
      height: 60,
    });
  });

  test('a file with too many bytes becomes a smaller JPEG', async () => {
    const bytes = await noise(1500, 1500, 'png');
    expect(bytes.length).toBeGreaterThan(IMAGE_LIMITS.high.bytes);
    const made = await prepareImage(bytes, high);
    expect(made.mime).toBe('image/jpeg');
    expect(made.bytes.length).toBeLessThanOrEqual(IMAGE_LIMITS.high.bytes);
  });

  test('a photograph is rotated upright', async () => {
    const turned = await sharp(await plain(3000, 1000, 'jpeg'))
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect(readImageHeader((await prepareImage(turned, high)).bytes)).toMatchObject({ width: 667, height: 2000 });
  });
});

test.each(['gif', 'webp'] as const)('the first frame of an animated %s is sent', async (format) => {
  const { mime, bytes } = await prepareImage(await animation(40, 30, format), high);
  expect(mime).toBe('image/png');
  const { dominant } = await sharp(bytes).stats();
  expect(dominant.r).toBeGreaterThan(200);
  expect(dominant.g).toBeLessThan(50);
});

describe('a damaged image is refused', () => {
  test('with and without sharp', async () => {
    for (const options of [high, without]) {
      await expect(prepareImage(Buffer.from('no image at all'), options)).rejects.toThrow(INVALID);
      await expect(prepareImage(Buffer.alloc(0), options)).rejects.toThrow(INVALID);
      await expect(prepareImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), options)).rejects.toThrow(
        INVALID,
      );
    }
  });

  test('a file that is cut off after a valid beginning', async () => {
    for (const format of ['png', 'jpeg', 'webp', 'gif'] as const) {
      const bytes = await noise(300, 300, format);
      await expect(prepareImage(bytes.subarray(0, bytes.length / 2), high), format).rejects.toThrow(INVALID);
    }
  });

  test('a file that declares too many pixels, before it is decoded', async () => {
    const bomb = await declared(60_000, 60_000);
    const text = 'The image `a.png` cannot be shown: it has 60000 x 60000 pixels, and at most 100000000 are read.';
    for (const options of [high, original, without]) await expect(prepareImage(bomb, options)).rejects.toThrow(text);
  });
});

describe('without sharp', () => {
  test('a larger image is not changed as long as servers accept it', async () => {
    const bytes = await plain(2500, 100, 'png');
    expect((await prepareImage(bytes, without)).bytes).toBe(bytes);
  });

  test.each([
    ['sides', async () => declared(9000, 10), 'it has 9000 x 10 pixels, and 8000 is the longest side. Make'],
    ['bytes', async () => noise(1500, 1500, 'png'), /it has \d+\.\d\d MB, and 3\.75 MB is the most\. Make/],
    ['frames', async () => animation(5, 5, 'gif'), 'it has several frames. Make'],
  ])('too many %s are an error with advice', async (_, make, text) => {
    const failure = prepareImage(await make(), without);
    await expect(failure).rejects.toThrow(text);
    await expect(failure).rejects.toThrow('npm install sharp');
  });
});
