import { createHeadTailBuffer, type HeadTailBuffer } from './head-tail-buffer.ts';
import { createLiveOutput } from './live-output.ts';

/** Three views of what one process prints, each bounded: live, since it was last asked for, and as a whole. */
export interface OutputRecord {
  append(bytes: Uint8Array): void;
  /** What came since it was last taken, in whole characters. */
  take(): string;
  /** All of the output. Nothing may be appended afterwards; what was not taken still can be. */
  end(): string;
}

export function createOutputRecord(onOutput: (text: string) => void): OutputRecord {
  const live = createLiveOutput(onOutput);
  let whole = createHeadTailBuffer();
  // Until somebody has asked, what was not asked for is the whole.
  let unread = whole;
  let remainder: string | undefined;
  return {
    append(bytes) {
      whole.append(bytes);
      if (unread !== whole) unread.append(bytes);
      live.push(bytes);
    },
    take() {
      if (remainder !== undefined) {
        const text = remainder;
        remainder = '';
        return text;
      }
      const { text, unfinished } = unread.render();
      unread = createHeadTailBuffer();
      unread.append(unfinished);
      return text;
    },
    end() {
      live.end();
      const output = finalText(whole);
      remainder = unread === whole ? output : finalText(unread);
      // Ended terminals may be kept for long: their buffers are not.
      whole = unread = createHeadTailBuffer();
      return output;
    },
  };
}

function finalText(buffer: HeadTailBuffer): string {
  const { text, unfinished } = buffer.render();
  return text + Buffer.from(unfinished).toString('utf8');
}
