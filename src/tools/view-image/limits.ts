/** Limits of an image that is sent, by its detail. */
export interface ImageLimits {
  /** Longest side in pixels. Larger images are scaled down. */
  readonly side: number;
  /** Largest file in bytes. As base64 it is a third longer. */
  readonly bytes: number;
}

/**
 * `high`: servers scale to about 2000 pixels anyway. Some refuse longer sides once a request has many images, as in a
 * long thread. Codex allows 2048. The bytes are the limit of the strictest servers: 5 MiB of base64. `original`: the
 * size that Codex sends to models that accept it.
 */
export const IMAGE_LIMITS: Readonly<Record<'high' | 'original', ImageLimits>> = {
  high: { side: 2000, bytes: 3.75 * 1024 * 1024 },
  original: { side: 6000, bytes: 15 * 1024 * 1024 },
};

/** Longest side of an image that cannot be scaled down here. Servers accept it and scale it down themselves. */
export const LONGEST_SIDE_SENT = 8000;

/** Most pixels that are decoded, about 400 MB. A small file may declare far more than any camera produces. */
export const MOST_PIXELS = 100_000_000;
