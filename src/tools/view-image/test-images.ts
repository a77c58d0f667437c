import sharp, { type Create } from 'sharp';
import type { ImageFormat } from './image-header.ts';

/** Returns a picture of noise, which no format can compress well. */
export async function noise(width: number, height: number, format: ImageFormat): Promise<Buffer> {
  const image = { width, height, channels: 3, background: 'black', noise: { type: 'gaussian', mean: 128, sigma: 60 } };
  return sharp({ create: image as Create })
    .toFormat(format)
    .toBuffer();
}

/** Returns a picture of one colour. */
export async function plain(width: number, height: number, format: ImageFormat): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .toFormat(format)
    .toBuffer();
}

/** Returns an animation with frames of different colours. */
export async function animation(width: number, height: number, format: 'gif' | 'webp', frames = 3): Promise<Buffer> {
  const colours = ['red', 'green', 'blue', 'white'];
  const images = Array.from({ length: frames }, (_, n) =>
    sharp({ create: { width, height, channels: 3, background: colours[n % colours.length] ?? 'red' } })
      .png()
      .toBuffer(),
  );
  return sharp(await Promise.all(images), { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}
