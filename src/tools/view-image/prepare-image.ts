import { ToolFailure } from '../../base/errors.ts';
import { type ImageFormat, type ImageHeader, readImageHeader } from './image-header.ts';
import { IMAGE_LIMITS, type ImageLimits, LONGEST_SIDE_SENT, MOST_PIXELS } from './limits.ts';
import type { Sharp } from './load-sharp.ts';

/** An image ready to be sent. */
export interface PreparedImage {
  readonly mime: `image/${ImageFormat}`;
  readonly bytes: Uint8Array;
}

export interface PrepareOptions {
  readonly detail: 'high' | 'original';
  /** Path as the model wrote it. */
  readonly shown: string;
  readonly sharp: Sharp | undefined;
}

/**
 * Returns an image that can be sent: within the limits, with one frame, and checked for damage, because an image that a
 * server refuses would stay in the history. The image is unchanged where possible and never scaled up. Throws
 * `ToolFailure`.
 */
export async function prepareImage(bytes: Uint8Array, options: PrepareOptions): Promise<PreparedImage> {
  const header = readImageHeader(bytes);
  if (!header) throw invalid();
  const { shown, detail, sharp } = options;
  const { width, height } = header;
  if (width * height > MOST_PIXELS)
    throw refused(shown, `it has ${width} x ${height} pixels, and at most ${MOST_PIXELS} are read`);
  const limits = IMAGE_LIMITS[detail];
  if (!sharp) return asItIs(bytes, header, limits, shown);
  try {
    if (mayStay(bytes, header, limits)) {
      await decodeAll(bytes, sharp);
      return { mime: `image/${header.format}`, bytes };
    }
    const made = await firstThatFits(makers(bytes, header, limits, sharp), limits);
    if (made) return made;
  } catch (error) {
    throw invalid(error);
  }
  throw refused(shown, `it cannot be brought below ${inMegabytes(limits.bytes)}`);
}

function mayStay(bytes: Uint8Array, { format, animated, width, height }: ImageHeader, limits: ImageLimits): boolean {
  return !animated && format !== 'gif' && Math.max(width, height) <= limits.side && bytes.length <= limits.bytes;
}

/** Decodes every pixel once, without keeping them in memory. */
async function decodeAll(bytes: Uint8Array, sharp: Sharp): Promise<void> {
  await sharp(bytes, STRICT).resize(8, 8, { fit: 'fill', fastShrinkOnLoad: false }).raw().toBuffer();
}

const STRICT = { failOn: 'error', limitInputPixels: MOST_PIXELS } as const;

type Maker = () => Promise<PreparedImage>;

/**
 * Returns ways to make the image smaller, the best first: in its own format, then with some loss, then with fewer
 * pixels too.
 */
function makers(
  bytes: Uint8Array,
  { format, animated }: ImageHeader,
  limits: ImageLimits,
  sharp: Sharp,
): readonly Maker[] {
  const scaled = (side: number) =>
    sharp(bytes, STRICT).autoOrient().resize(side, side, { fit: 'inside', withoutEnlargement: true });
  const jpeg = (side: number) => async (): Promise<PreparedImage> => {
    // Transparent parts become white, as on a page.
    const made = scaled(side).flatten({ background: 'white' }).jpeg({ quality: 85 });
    return { mime: 'image/jpeg', bytes: await made.toBuffer() };
  };
  const own = async (): Promise<PreparedImage> => {
    if (format === 'jpeg') return jpeg(limits.side)();
    if (format === 'webp' && !animated)
      return { mime: 'image/webp', bytes: await scaled(limits.side).webp({ quality: 90 }).toBuffer() };
    return { mime: 'image/png', bytes: await scaled(limits.side).png().toBuffer() };
  };
  return [own, jpeg(limits.side), jpeg(Math.floor(limits.side / 2)), jpeg(Math.floor(limits.side / 4))];
}

async function firstThatFits(ways: readonly Maker[], { bytes }: ImageLimits): Promise<PreparedImage | undefined> {
  for (const make of ways) {
    const image = await make();
    if (image.bytes.length <= bytes) return image;
  }
  return undefined;
}

function asItIs(bytes: Uint8Array, header: ImageHeader, limits: ImageLimits, shown: string): PreparedImage {
  const { format, width, height, animated } = header;
  if (animated) throw refused(shown, `it has several frames. ${WAYS_OUT}`);
  if (Math.max(width, height) > LONGEST_SIDE_SENT)
    throw refused(
      shown,
      `it has ${width} x ${height} pixels, and ${LONGEST_SIDE_SENT} is the longest side. ${WAYS_OUT}`,
    );
  if (bytes.length > limits.bytes)
    throw refused(
      shown,
      `it has ${inMegabytes(bytes.length)}, and ${inMegabytes(limits.bytes)} is the most. ${WAYS_OUT}`,
    );
  return { mime: `image/${format}`, bytes };
}

const WAYS_OUT =
  'Make a smaller PNG or JPEG of it with a program of this machine and view that, or tell the user that images are made smaller where the package "sharp" is installed beside Oxbow (npm install sharp)';

function inMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MB`;
}

function refused(shown: string, why: string): ToolFailure {
  return new ToolFailure('execution', `The image \`${shown}\` cannot be shown: ${why}.`);
}

function invalid(cause?: unknown): ToolFailure {
  return new ToolFailure('execution', 'unable to process image: invalid or unsupported image data', { cause });
}
