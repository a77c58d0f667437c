import { createParser } from 'eventsource-parser';
import { ModelError } from '../base/errors.ts';
import type { Frame } from '../base/wire.ts';

const MAX_FRAME_CHARS = 64 * 1024 * 1024;

/**
 * Turns the bytes of an event stream, cut anywhere, into frames. A body that begins as JSON is no stream: all of it is
 * one frame, for whoever knows what to make of it.
 */
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
  /** What came of a body that is no stream. Undefined: it is one; null: nothing was seen of it yet. */
  let body: string[] | undefined | null = null;
  let length = 0;
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
    if (body === null && text.trim() !== '') body = text.trimStart().startsWith('{') ? [] : undefined;
    if (body) collect(text, body);
    else if (text !== '') parser.feed(text);
    if (overflown || frames.some(({ data }) => data.length > maxFrameChars)) throw tooLong(maxFrameChars);
    return frames;
  };
  const collect = (text: string, pieces: string[]): void => {
    pieces.push(text);
    length += text.length;
    overflown ||= length > maxFrameChars;
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end() {
      const last = feed(`${decoder.decode()}\n\n`);
      return body ? [{ data: body.join('').trim() }] : last;
    },
  };
}

function tooLong(maxFrameChars: number): ModelError {
  return new ModelError(
    'invalid_response',
    `The server sent a single event of more than ${maxFrameChars} characters. Its answer was given up.`,
  );
}
