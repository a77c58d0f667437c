import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import { createResponseWriter } from './response-writer.ts';

/** Returns an encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  const writer = createResponseWriter(options, (type, fields) => {
    // The text is concatenated: one object for it would need a copy of the fields for every frame.
    const rest = typeof fields === 'string' ? fields : fields();
    frames.push({ event: type, data: `{"type":"${type}","sequence_number":${sequence++},${rest}}` });
  });
  return {
    push(event) {
      frames = [];
      writer.write(event);
      return frames;
    },
  };
}
