/** Receivers of lines. */
export interface LineSink {
  line(text: string): void;
  /** Receives the first and the last characters of a line that is too long. */
  tooLong(head: string, tail: string): void;
}

const LINE_FEED = 0x0a;

/** Bytes that are kept of each end of a line that is too long. Most servers write the id of a message there. */
const END_BYTES = 256;

/** Returns a function that receives bytes and passes on their lines. Holds at most `limit` bytes of a line. */
export function splitLines(limit: number, sink: LineSink): (bytes: Uint8Array) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let tail = Buffer.alloc(0);
  const add = (bytes: Buffer) => {
    size += bytes.length;
    if (size <= limit) parts.push(bytes);
    else {
      // The head stays; of the rest only the end is of use.
      if (tail.length === 0) parts = [Buffer.from(Buffer.concat([...parts, bytes]).subarray(0, END_BYTES))];
      tail = Buffer.concat([tail, bytes]).subarray(-END_BYTES);
    }
  };
  const end = () => {
    const text = Buffer.concat(parts).toString();
    if (size > limit) sink.tooLong(text, tail.toString());
    else if (size > 0) sink.line(text);
    parts = [];
    size = 0;
    tail = Buffer.alloc(0);
  };
  return (bytes) => {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      add(rest.subarray(0, at));
      end();
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) add(rest);
  };
}
