import type { Log, LogLine } from '../base/log.ts';
import { canonicalItem } from '../wire/responses/canonical-item.ts';

/** A log whose items are reduced to what may be sent back: other programs write more into theirs. */
export function canonicalLog(log: Log): Log {
  return {
    ...log,
    read: () => canonicalLines(log.read()),
    resume: () => canonicalLines(log.resume()),
  };
}

async function* canonicalLines(lines: AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
  for await (const line of lines) {
    const canonical = canonicalLine(line);
    if (canonical) yield canonical;
  }
}

function canonicalLine(line: LogLine): LogLine | undefined {
  if (line.type === 'response_item') {
    const payload = canonicalItem(line.payload);
    return payload && { ...line, payload };
  }
  if (line.type !== 'compacted') return line;
  const replacement_history = line.payload.replacement_history?.flatMap((item) => canonicalItem(item) ?? []);
  return { ...line, payload: { ...line.payload, ...(replacement_history ? { replacement_history } : {}) } };
}
