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
  /** The two steps of it: the text of the bytes, but for the end of a character that is not whole yet, and its frames. */
  textOf(bytes: Uint8Array): string;
  framesOf(text: string): readonly Frame[];
  /** Whether what comes next begins a frame. */
  readonly isBetween: boolean;
  /** The last frame of servers that end the body without the blank line after it. */
  end(): readonly Frame[];
}

export function createFrameReader(maxFrameChars = MAX_FRAME_CHARS): FrameReader {
  const decode = createDecoder();
  let frames: Frame[] = [];
  /** What came of a body that is no stream. Undefined: it is one; null: nothing was seen of it yet. */
  let body: string[] | undefined | null = null;
  let length = 0;
  let isBetween = false;
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
    if (text !== '') isBetween = text.endsWith('\n\n');
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
    push: (bytes) => feed(decode(bytes)),
    textOf: decode,
    framesOf: feed,
    get isBetween() {
      return isBetween;
    },
    end() {
      const last = feed(`${decode(null)}\n\n`);
      return body ? [{ data: body.join('').trim() }] : last;
    },
  };
}

const whole = new TextDecoder('utf-8', { ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfeff;

/**
 * The text of bytes that come in pieces: a character whose bytes are still on their way is held back, and a byte order
 * mark taken away. Null is the end. Node decodes streams far more slowly than whole texts, which these nearly always are.
 */
function createDecoder(): (bytes: Uint8Array | null) => string {
  let held: Uint8Array | undefined;
  let isFirst = true;
  return (bytes) => {
    let all = bytes ?? NOTHING;
    if (held !== undefined) all = joined(held, all);
    const end = bytes === null ? all.length : wholeLength(all);
    held = end === all.length ? undefined : all.slice(end);
    const text = Buffer.isBuffer(all) ? all.toString('utf8', 0, end) : whole.decode(all.subarray(0, end));
    if (!isFirst || text === '') return text;
    isFirst = false;
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  };
}

const NOTHING = new Uint8Array();

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** How many of the bytes are whole characters, as far as the last three can tell. */
function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    // The first byte of a character says how many there are.
    if (byte >= 0xc0) return charLength(byte) > back ? length - back : length;
  }
  return length;
}

function charLength(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

function tooLong(maxFrameChars: number): ModelError {
  return new ModelError(
    'invalid_response',
    `The server sent a single event of more than ${maxFrameChars} characters. Its answer was given up.`,
  );
}
