import { createParser } from 'eventsource-parser';
import { ModelError } from '../base/errors.ts';
import type { Frame } from '../base/wire.ts';

const MAX_FRAME_CHARS = 64 * 1024 * 1024;

/** Turns the bytes of an event stream, cut anywhere, into frames. */
export interface FrameReader {
  /** Throws `ModelError` when a frame grows beyond all measure. */
  push(bytes: Uint8Array): readonly Frame[];
  /** The last frame of servers that end the body without the blank line after it. */
  end(): readonly Frame[];
}

export function createFrameReader(maxFrameChars = MAX_FRAME_CHARS): FrameReader {
  // Takes a byte order mark away and holds back a character whose bytes are still on their way.
  const decoder = new TextDecoder();
  let frames: Frame[] = [];
  let overflown = false;
  const parser = createParser({
    maxBufferSize: maxFrameChars,
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
    // Fields that the format does not know are to be ignored.
    onError: (error) => {
      overflown ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const feed = (text: string): readonly Frame[] => {
    frames = [];
    if (text !== '') parser.feed(text);
    if (overflown || frames.some(({ data }) => data.length > maxFrameChars)) throw tooLong(maxFrameChars);
    return frames;
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}

function tooLong(maxFrameChars: number): ModelError {
  return new ModelError(
    'invalid_response',
    `The server sent a single event of more than ${maxFrameChars} characters. Its answer was given up.`,
  );
}
