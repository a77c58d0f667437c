import type { Frame } from '../base/wire.ts';

/** Frames as the text of an event stream. There are never ids: some clients take a comment after one for an event. */
export function sseText(frames: readonly Frame[]): string {
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

function isOneLine(data: string): boolean {
  return !data.includes('\n') && !data.includes('\r');
}
