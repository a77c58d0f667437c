import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** Returns an encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  const textOf = createFieldTexts();
  const writer = createResponseWriter(options, (type, fields) => {
    const rest = typeof fields === 'string' ? fields : textOf(fields);
    // The text is concatenated: one object for it would need a copy of the fields for every frame.
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

/**
 * Returns a function that writes fields as JSON. It keeps the last text, since the first two frames have the same
 * fields.
 */
function createFieldTexts(): (fields: object) => string {
  let last: object | undefined;
  let text = '';
  return (fields) => {
    if (fields !== last) text = JSON.stringify(fields);
    last = fields;
    return text;
  };
}
