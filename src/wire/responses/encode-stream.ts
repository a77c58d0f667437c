import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** An encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  const textOf = createFieldTexts();
  const writer = createResponseWriter(options, (type, fields) => {
    const rest = typeof fields === 'string' ? fields : textOf(fields);
    // The text is put together: to write it from one object would take a copy of the fields for every frame.
    const data = `{"type":"${type}","sequence_number":${sequence++}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
    frames.push({ event: type, data });
  });
  return {
    push(event) {
      frames = [];
      writer.write(event);
      return frames;
    },
  };
}

/** The JSON text of fields. The first two frames of a response say the same. */
function createFieldTexts(): (fields: object) => string {
  let last: object | undefined;
  let text = '';
  return (fields) => {
    if (fields !== last) text = JSON.stringify(fields);
    last = fields;
    return text;
  };
}
