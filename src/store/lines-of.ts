import type { LogLine } from '../base/log.ts';
import { countLines, readLines } from './read-lines.ts';
import type { LineDecoder } from './rollout-line.ts';
import type { Part } from './thread-parts.ts';

export interface ReadingOptions {
  readonly decode: LineDecoder;
  /** Hears of lines that could not be used, by their number. */
  readonly onFault: (fault: string) => void;
  /** Faults of other files are told with their path. */
  readonly ownPath: string;
}

/** The lines of a part that can be used, in their order. */
export async function* linesOf(part: Part, options: ReadingOptions): AsyncGenerator<LogLine, void, undefined> {
  const { decode, onFault, ownPath } = options;
  const where = part.path === ownPath ? '' : ` of ${part.path}`;
  let before: number | undefined;
  let count = 0;
  const report = (fault: string) => {
    before ??= countLines(part.fd, part.from);
    onFault(`line ${before + count}${where} ${fault}`);
  };
  for await (const bytes of readLines(part.fd, part.from, part.to)) {
    count++;
    const line = decode(bytes, report);
    if (line) yield line;
  }
}
