import type { LogLine } from '../../base/log.ts';
import type { StoredLine, TakenThread } from '../../base/thread-store.ts';
import { checkFormat } from '../../log/check-format.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { canonicalLine } from './canonical-line.ts';

/**
 * Yields the lines of a taken thread that can be folded, from any program. `onWarning` gets a sentence for each other
 * line. Throws `UserError` when a newer program wrote the thread.
 */
export async function* usableLines(
  { log, lines, notes }: TakenThread,
  onWarning: (warning: string) => void,
): AsyncGenerator<LogLine, void, undefined> {
  const onFault = ({ label, number }: StoredLine, fault: string) =>
    onWarning(`${log.label}: line ${number}${label === log.label ? '' : ` of ${label}`} ${fault}`);
  for await (const { line } of decodeLines(lines, canonicalLine, onFault)) {
    if (line.type === 'session_meta') checkFormat(log.label, line.payload);
    yield line;
  }
  for (const note of notes) onWarning(`${log.label}: ${note}`);
}
