import { ansiSpans } from './ansi-spans.ts';
import type { Line } from './span.ts';
import { spanLines } from './span-lines.ts';

/**
 * Returns the lines of the output of a command, in its colours and without blank lines at the end. Of a line that was
 * written over, as bars of progress are, the last text is shown.
 */
export function outputLines(output: string): Line[] {
  const text = output.includes('\r') ? output.split('\n').map(lastWritten).join('\n') : output;
  const lines = spanLines(ansiSpans(text));
  return lines.slice(0, lines.findLastIndex((line) => line.some((part) => part.text.trim() !== '')) + 1);
}

function lastWritten(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}
