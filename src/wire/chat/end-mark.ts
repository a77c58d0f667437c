import type { Frame } from '../../base/wire.ts';

/** Data of the last frame of a stream. It is not JSON. */
export const END_MARK = '[DONE]';

export function isEndMark({ data }: Frame): boolean {
  return data === END_MARK || data.trim() === END_MARK;
}
