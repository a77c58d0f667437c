import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import { tellResponse } from './tell-response.ts';

/** An encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  const response = tellResponse(options, (type, fields) => {
    frames.push({ event: type, data: eventText(type, sequence++, fields) });
  });
  return {
    push(event) {
      frames = [];
      response.take(event);
      return frames;
    },
  };
}

/** The text is put together: to write it from one object would take a copy of the fields for every piece of a text. */
function eventText(type: string, sequence: number, fields: Readonly<Record<string, unknown>>): string {
  const rest = JSON.stringify(fields);
  return `{"type":"${type}","sequence_number":${sequence}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}
