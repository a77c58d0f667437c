import type { EncodeStreamOptions, Frame, StreamEncoder } from '../../base/wire.ts';
import { tellResponse } from './tell-response.ts';

/** An encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  let frames: Frame[] = [];
  let sequence = 0;
  const response = tellResponse(options, (type, fields) => {
    frames.push({ event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...fields }) });
  });
  return {
    push(event) {
      frames = [];
      response.take(event);
      return frames;
    },
  };
}
