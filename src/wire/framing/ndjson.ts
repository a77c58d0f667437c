import type { Frame, FrameReader, Framing } from '../../base/wire.ts';
import { createTextDecoder } from './decode-text.ts';
import { isOneLine } from './is-one-line.ts';
import { frameTooLong, MAX_FRAME_CHARS } from './limits.ts';

/**
 * One JSON value per line. A body whose first line is only an opening bracket is a single value on several lines: the
 * reader returns the whole body as one frame.
 */
export const ndjson: Framing = {
  createReader,
  write,
  contentType: 'application/x-ndjson',
  accept: 'application/x-ndjson',
  // Empty: many clients parse every line, including blank ones.
  ping: '',
  begins: (text) => text.startsWith('{'),
};

function createReader(maxFrameChars = MAX_FRAME_CHARS): FrameReader {
  const decode = createTextDecoder();
  /** Pieces of a line that has not ended yet. */
  let open: string[] = [];
  let length = 0;
  let isFirst = true;
  let isOneValue = false;

  const keep = (piece: string): void => {
    if (piece === '') return;
    open.push(piece);
    length += piece.length;
    if (length > maxFrameChars) throw frameTooLong(maxFrameChars);
  };
  const close = (): readonly Frame[] => {
    const data = open.join('').trim();
    open = [];
    length = 0;
    return data === '' ? [] : [{ data }];
  };
  /** Ends a line. The first line that is not blank decides the kind of the body. */
  const closeLine = (): readonly Frame[] => {
    if (isOneValue) {
      keep('\n');
      return [];
    }
    const frames = close();
    const [frame] = frames;
    if (!isFirst || frame === undefined) return frames;
    isFirst = false;
    isOneValue = frame.data === '{' || frame.data === '[';
    if (!isOneValue) return frames;
    keep(`${frame.data}\n`);
    return [];
  };
  const framesOf = (text: string): readonly Frame[] => {
    const frames: Frame[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      keep(text.slice(from, end));
      frames.push(...closeLine());
      from = end + 1;
    }
    keep(text.slice(from));
    return frames;
  };
  return {
    push: (bytes) => framesOf(decode(bytes)),
    end: () => [...framesOf(decode(null)), ...close()],
  };
}

/**
 * Writes frames as lines. A line break in the data is white space between JSON tokens: a JSON string cannot hold one.
 */
function write(frames: readonly Frame[]): string {
  let text = '';
  for (const { data } of frames) text += `${isOneLine(data) ? data : data.replaceAll(LINE_ENDS, ' ')}\n`;
  return text;
}

const LINE_ENDS = /[\r\n]+/g;
