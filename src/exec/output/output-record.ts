import { createHeadTailBuffer, type HeadTailBuffer } from './head-tail-buffer.ts';
import { createLiveOutput } from './live-output.ts';

/** A record of the output of one process in three bounded views: live, since the last `take`, and whole. */
export interface OutputRecord {
  append(bytes: Uint8Array): void;
  /** Returns the output since the last `take`, in whole characters. */
  take(): string;
  /** Returns the whole output so far, in whole characters. Empty after the end. */
  whole(): string;
  /** Returns the whole output. Nothing may be appended afterwards; `take` still returns the rest. */
  end(): string;
}

export function createOutputRecord(onOutput: (text: string) => void): OutputRecord {
  const live = createLiveOutput(onOutput);
  let whole = createHeadTailBuffer();
  // Before the first `take` the unread output is the whole output.
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
    whole: () => whole.render().text,
    end() {
      live.end();
      const output = finalText(whole);
      remainder = unread === whole ? output : finalText(unread);
      // An ended terminal may be kept for long, so its buffers are dropped.
      whole = unread = createHeadTailBuffer();
      return output;
    },
  };
}

function finalText(buffer: HeadTailBuffer): string {
  const { text, unfinished } = buffer.render();
  return text + Buffer.from(unfinished).toString('utf8');
}
