/** Calls for the parts of a marked output. */
export interface MarkedEvents {
  /** The script has begun, as the process of this number. */
  begun(pid: number): void;
  /** Called with bytes of the output between the marks. */
  data(bytes: Uint8Array): void;
  /** The script has ended. Output that follows is of processes that it left behind. */
  ended(exitCode: number): void;
}

const FIRST_BYTE = 0x1e;
const NEWLINE = 0x0a;

/** Returns a script that runs another one between two marks. Its first argument is the token of the marks. */
export function markedScript(script: string): string {
  const mark = (value: string) => `printf '\\036%s%s\\n' "$token" "${value}"`;
  return `token=$1; shift
${mark('$$')}
(
${script}
)
code=$?
${mark('$code')}
exit $code`;
}

/**
 * Returns a function that takes the output of a marked script in pieces. Bytes before the first mark are dropped: a
 * login profile may print something. The second mark tells the end even while another process holds the output open.
 */
export function readMarked(token: string, events: MarkedEvents): (bytes: Buffer) => void {
  const mark = Buffer.concat([Buffer.of(FIRST_BYTE), Buffer.from(token)]);
  let state: 'before' | 'inside' | 'after' = 'before';
  let held: Buffer = Buffer.alloc(0);

  function pass(end: number): void {
    if (state === 'inside' && end > 0) events.data(held.subarray(0, end));
    held = held.subarray(end);
  }

  function readMark(end: number): void {
    const value = Number(held.toString('latin1', mark.length, end));
    held = held.subarray(end + 1);
    if (state === 'before') events.begun(value);
    else events.ended(value);
    state = state === 'before' ? 'inside' : 'after';
  }

  const isOver = () => state === 'after';
  return (bytes) => {
    if (isOver()) return;
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    while (!isOver()) {
      const at = held.indexOf(mark);
      pass(at < 0 ? held.length - beginningLength(held, mark) : at);
      const end = at < 0 ? -1 : held.indexOf(NEWLINE);
      if (end < 0) return;
      readMark(end);
    }
    held = Buffer.alloc(0);
  };
}

/** Returns the number of bytes at the end that may be the beginning of a mark. */
function beginningLength(bytes: Buffer, mark: Buffer): number {
  const length = bytes.length - bytes.lastIndexOf(FIRST_BYTE);
  const isBeginning = length < mark.length && bytes.subarray(-length).equals(mark.subarray(0, length));
  return isBeginning ? length : 0;
}
