import { printable } from './visible.ts';

const MOST_CHARS = 300;

/** Returns the first line of a text for the model. */
export function firstLine(text: string): string {
  const [line = ''] = printable(text).trim().split('\n');
  return line.length <= MOST_CHARS ? line : `${line.slice(0, MOST_CHARS)}…`;
}
