import { ModelError } from '../../base/errors.ts';

export const MAX_FRAME_CHARS = 64 * 1024 * 1024;

export function frameTooLong(maxFrameChars: number): ModelError {
  return new ModelError(
    'invalid_response',
    `The server sent a single event of more than ${maxFrameChars} characters. Its answer was given up.`,
  );
}
