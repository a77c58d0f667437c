const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);

/** CSI sequences, strings such as titles up to their terminator, and two-character sequences. */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[ -/]*[0-~])`,
  'g',
);

/** Returns a text without terminal sequences: a model or a command must not move the cursor or set the title. */
export function printable(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\p{Cc}/gu, (control) => (control === '\n' || control === '\t' ? control : ''));
}
