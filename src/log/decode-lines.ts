import type { LogLine } from '../base/log.ts';
import type { StoredLine } from '../base/thread-store.ts';
import { type LineGate, lineDecoder } from './rollout-line.ts';

/** A line that can be used, and where it stands. */
export interface DecodedLine {
  readonly line: LogLine;
  readonly stored: StoredLine;
}

/** Decodes stored lines. Those that cannot be used are left out; `onFault` is called with what is wrong with a line. */
export async function* decodeLines(
  lines: AsyncIterable<StoredLine>,
  gate: LineGate,
  onFault: (stored: StoredLine, fault: string) => void = () => {},
): AsyncGenerator<DecodedLine, void, undefined> {
  const decode = lineDecoder(gate);
  for await (const stored of lines) {
    const line = decode(stored.bytes, (fault) => onFault(stored, fault));
    if (line) yield { line, stored };
  }
}
