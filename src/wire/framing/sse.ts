import { createParser } from 'eventsource-parser';
import type { Frame, Framing } from '../../base/wire.ts';
import { createTextDecoder } from './decode-text.ts';
import { isOneLine } from './is-one-line.ts';
import { frameTooLong, MAX_FRAME_CHARS } from './limits.ts';
import type { RunningFrame, TextRunReader } from './text-runs.ts';

/** Server-sent events. A body that begins as JSON is not a stream: the reader returns the whole body as one frame. */
export const sse: Framing = {
  createReader,
  write,
  contentType: 'text/event-stream; charset=utf-8',
  accept: 'text/event-stream',
  // One line, not two: an empty line ends an event, and some clients read that as an empty event.
  ping: ': ping\n',
  begins: (text) => BEGINNING.test(text),
};

const BEGINNING = /^(?:data|event|id|retry|error)?:/;

function createReader(maxFrameChars = MAX_FRAME_CHARS): TextRunReader {
  const decode = createTextDecoder();
  let frames: Frame[] = [];
  /** Pieces of a body that is not a stream. Undefined if the body is a stream, null before its beginning was seen. */
  let body: string[] | undefined | null = null;
  let length = 0;
  let overflown = false;
  const parser = createParser({
    maxBufferSize: maxFrameChars,
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
    // Unknown fields are ignored, as the format requires, except for one in which some servers report a failure.
    onError: ({ type, field, value = '' }) => {
      overflown ||= type === 'max-buffer-size-exceeded';
      if (field === 'error' && value.startsWith('{')) frames.push({ data: errorData(value) });
    },
  });
  const feed = (text: string): readonly Frame[] => {
    frames = [];
    if (text !== '') reader.isBetween = text.endsWith('\n\n');
    if (body === null && text.trim() !== '') body = text.trimStart().startsWith('{') ? [] : undefined;
    if (body) collect(text, body);
    else if (text !== '') parser.feed(text);
    if (overflown || frames.some(({ data }) => data.length > maxFrameChars)) throw frameTooLong(maxFrameChars);
    return frames;
  };
  const collect = (text: string, pieces: string[]): void => {
    pieces.push(text);
    length += text.length;
    overflown ||= length > maxFrameChars;
  };
  const reader: TextRunReader & { isBetween: boolean } = {
    push: (bytes) => feed(decode(bytes)),
    textOf: decode,
    framesOf: feed,
    separator: '\n\n',
    isBetween: false,
    end() {
      // Some servers leave out the blank line after the last event.
      const last = feed(`${decode(null)}\n\n`);
      return body ? [{ data: body.join('').trim() }] : last;
    },
  };
  return reader;
}

/** Returns an error as the data of an event. The line has the error itself, or an object around it. */
function errorData(value: string): string {
  return /^\{\s*"error"\s*:/.test(value) ? value : `{"error":${value}}`;
}

/** Writes frames as events without ids: some clients read a comment after an id as an event. */
function write(frames: readonly RunningFrame[]): string {
  let text = '';
  for (const { event, data, stream } of frames) {
    if (stream !== undefined) {
      text += stream;
      continue;
    }
    if (event !== undefined) text += `event: ${event}\n`;
    text += `data: ${isOneLine(data) ? data : data.split(LINE_ENDS).join('\ndata: ')}\n\n`;
  }
  return text;
}

const LINE_ENDS = /\r\n|\r|\n/;
