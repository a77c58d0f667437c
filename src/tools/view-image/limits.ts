/** What an image must be to be sent, by how closely it is to be looked at. */
export interface ImageLimits {
  /** The longest side in pixels; larger images are made smaller. */
  readonly side: number;
  /** The largest file. It is sent as base64, which is a third longer. */
  readonly bytes: number;
}

/**
 * `high`: servers scale to about 2000 pixels anyway, and some refuse longer sides once a request holds many images, which
 * a long thread does; Codex takes 2048. The bytes are those of the strictest servers: 5 MiB of base64. `original`: what
 * Codex sends where the model has it.
 */
export const IMAGE_LIMITS: Readonly<Record<'high' | 'original', ImageLimits>> = {
  high: { side: 2000, bytes: 3.75 * 1024 * 1024 },
  original: { side: 6000, bytes: 15 * 1024 * 1024 },
};

/** Without anything to make it smaller, an image goes as it is up to the side that servers take and scale down themselves. */
export const LONGEST_SIDE_SENT = 8000;

/** The most pixels that are decoded, some 400 MB. A small file may declare far more than any camera takes. */
export const MOST_PIXELS = 100_000_000;
