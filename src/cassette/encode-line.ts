import { toBinaryText } from './binary-text.ts';
import type { CassetteLine, RecordedChunk } from './cassette.ts';

/** Encodes a line of the file, with its line break. */
export function encodeLine(line: CassetteLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Returns the line of a chunk: text if possible, since people read it. */
export function chunkLine(n: number, { ms, bytes }: RecordedChunk): CassetteLine {
  const text = textOf(bytes);
  return text === undefined
    ? { type: 'chunk', n, ms, base64: btoa(toBinaryText(bytes)) }
    : { type: 'chunk', n, ms, text };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark is part of the bytes.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
