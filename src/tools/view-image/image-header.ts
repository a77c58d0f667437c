import { readGif } from './gif-header.ts';

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

/** Facts from the first bytes of an image. The image was not decoded and may be damaged. */
export interface ImageHeader {
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  /** Whether the image has more than one frame. */
  readonly animated: boolean;
}

/**
 * Recognises an image by its bytes and reads its declared size, so that an image that is too large is not decoded.
 * Undefined for other files. Never throws. The time is at most proportional to the bytes.
 */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const header = readPng(bytes) ?? readJpeg(bytes) ?? named('gif', readGif(bytes)) ?? readWebp(bytes);
  return header && header.width > 0 && header.height > 0 ? header : undefined;
}

function named(format: ImageFormat, header: Omit<ImageHeader, 'format'> | undefined): ImageHeader | undefined {
  return header && { format, ...header };
}

function readPng(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes.length < 24 || !startsWith(bytes, 0, '\x89PNG\r\n\x1a\n') || !startsWith(bytes, 12, 'IHDR'))
    return undefined;
  return { format: 'png', width: bigEndian(bytes, 16, 4), height: bigEndian(bytes, 20, 4), animated: false };
}

/** Reads segment by segment up to the segment with the frame. */
function readJpeg(bytes: Uint8Array): ImageHeader | undefined {
  if (!startsWith(bytes, 0, '\xff\xd8\xff')) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker)) {
      return {
        format: 'jpeg',
        width: bigEndian(bytes, at + 7, 2),
        height: bigEndian(bytes, at + 5, 2),
        animated: false,
      };
    }
    // The picture begins or ends without a frame.
    if (marker === 0xda || marker === 0xd9) return undefined;
    at = afterSegment(bytes, at, marker);
  }
  return undefined;
}

function afterSegment(bytes: Uint8Array, at: number, marker: number): number {
  // Padding before a marker.
  if (marker === 0xff) return at + 1;
  const hasLength = marker !== 0x01 && (marker < 0xd0 || marker > 0xd8);
  return at + 2 + (hasLength ? bigEndian(bytes, at + 2, 2) : 0);
}

/** Reports whether a marker is a frame. Three markers in the same range are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

const ANIMATION_FLAG = 0x02;

function readWebp(bytes: Uint8Array): ImageHeader | undefined {
  if (bytes.length < 30 || !startsWith(bytes, 0, 'RIFF') || !startsWith(bytes, 8, 'WEBP')) return undefined;
  const still = { format: 'webp', animated: false } as const;
  if (startsWith(bytes, 12, 'VP8X')) {
    const animated = ((bytes[20] ?? 0) & ANIMATION_FLAG) !== 0;
    return { ...still, width: littleEndian(bytes, 24, 3) + 1, height: littleEndian(bytes, 27, 3) + 1, animated };
  }
  if (startsWith(bytes, 12, 'VP8L') && bytes[20] === 0x2f) {
    const sides = littleEndian(bytes, 21, 4);
    return { ...still, width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
  }
  if (startsWith(bytes, 12, 'VP8 ') && startsWith(bytes, 23, '\x9d\x01\x2a')) {
    return { ...still, width: littleEndian(bytes, 26, 2) & 0x3fff, height: littleEndian(bytes, 28, 2) & 0x3fff };
  }
  return undefined;
}

function startsWith(bytes: Uint8Array, at: number, latin1: string): boolean {
  for (let n = 0; n < latin1.length; n++) if (bytes[at + n] !== latin1.charCodeAt(n)) return false;
  return true;
}

function bigEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let n = 0; n < count; n++) value = value * 256 + (bytes[at + n] ?? 0);
  return value;
}

function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = 0;
  for (let n = count - 1; n >= 0; n--) value = value * 256 + (bytes[at + n] ?? 0);
  return value;
}
