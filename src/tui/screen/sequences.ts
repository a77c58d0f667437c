const ESC = '\u001b';
const ST = `${ESC}\\`;

/** More than terminals accept. */
const MOST_COPIED_BYTES = 1_000_000;

/** Returns the sequence that puts a text into the clipboard of the terminal, also over ssh. */
export function clipboardSequence(text: string): string {
  const bytes = Buffer.from(text).subarray(0, MOST_COPIED_BYTES);
  return `${ESC}]52;c;${bytes.toString('base64')}${ST}`;
}

/** Returns the sequences that tell the user something while another window has the focus: a bell and a notification. */
export const notificationSequence = (text: string): string => `\u0007${ESC}]9;${oneLine(text)}${ST}`;

/** Returns the sequence that sets the title of the window. */
export const titleSequence = (text: string): string => `${ESC}]0;${oneLine(text)}${ST}`;

/** Returns a text that cannot end the sequence it stands in. */
const oneLine = (text: string): string => text.replace(/\p{C}/gu, ' ').slice(0, 200);
