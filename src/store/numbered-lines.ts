import { UserError } from '../base/errors.ts';
import type { LogLine } from '../base/log.ts';
import { countLines, readLines } from './read-lines.ts';
import { type LineGate, lineDecoder } from './rollout-line.ts';
import { openParts } from './thread-parts.ts';

/** A line with its place: in which file, and its number there from 1. */
export interface NumberedLine {
  readonly path: string;
  readonly number: number;
  readonly line: LogLine;
}

export interface NumberedOptions {
  /** Where forks find what they point to. */
  readonly home: string;
  readonly gate: LineGate;
  /** Hears of lines that cannot be used. */
  onFault(path: string, number: number, fault: string): void;
}

/** All lines of a thread that can be used, with their places. Throws `UserError` where a file cannot be read. */
export async function* numberedLines(
  path: string,
  { home, gate, onFault }: NumberedOptions,
): AsyncGenerator<NumberedLine, void, undefined> {
  const decode = lineDecoder(gate);
  const thread = await openParts(path, { home, decode });
  try {
    if (thread.meta) yield { path, number: 1, line: thread.meta };
    for (const part of thread.parts.toReversed()) {
      if (part instanceof UserError) throw part;
      let number = countLines(part.fd, part.from);
      for await (const bytes of readLines(part.fd, part.from, part.to)) {
        number++;
        const line = decode(bytes, (fault) => onFault(part.path, number, fault));
        if (line) yield { path: part.path, number, line };
      }
    }
  } finally {
    thread.close();
  }
}
