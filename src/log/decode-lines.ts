import type { LogLine } from '../base/log.ts';
import type { StoredLine } from '../base/thread-store.ts';
import { type LineGate, lineDecoder } from './rollout-line.ts';

/** A usable line and its stored form. */
export interface DecodedLine {
  readonly line: LogLine;
  readonly stored: StoredLine;
}

/** Decodes stored lines. Unusable lines are left out. `onFault` gets the fault of a line. */
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
