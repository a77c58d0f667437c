import type { LogLine } from '../../base/log.ts';
import { Diverged } from './divergence.ts';
import type { RecordedCall } from './expected-lines.ts';
import type { RecordedLine } from './recorded-line.ts';

/**
 * Returns the fault in the recorded lines of a call that no tool could have caused. Returns undefined if there is none.
 * `isAnswered`: the call has an open question from an earlier turn, which is answered now.
 */
export function callFault({ lines, output }: RecordedCall, isAnswered = false): Diverged | undefined {
  let asked = isAnswered;
  let started = false;
  for (const recorded of lines) {
    const kind = recorded.line.type === 'oxbow' ? recorded.line.payload.kind : '';
    if (kind === 'ask.opened' && asked) return fault(recorded, 'asks while a question is open');
    if (kind === 'ask.answered' && !asked) return fault(recorded, 'answers no question');
    if (kind === 'ask.suspended' && !asked) return fault(recorded, 'leaves no question open');
    if (kind === 'repair' && started) return fault(recorded, 'repairs a call that has begun');
    asked = kind === 'ask.opened' || (asked && kind !== 'ask.answered');
    if (kind === 'call.started' && asked) return fault(recorded, 'comes before the answer to a question');
    started ||= kind === 'call.started';
  }
  const end = [lines.at(-1), output].find((one) => one && succeeded(one.line));
  return end && !started ? fault(end, 'has the result of a call that never began') : undefined;
}

function succeeded(line: LogLine): boolean {
  if (line.type === 'response_item') return line.metadata?.success === true;
  return line.type === 'oxbow' && line.payload.kind === 'call.finished' && line.payload.metadata.success;
}

function fault({ number, line }: RecordedLine, reason: string): Diverged {
  return new Diverged({ line: number, reason, recorded: line, came: null });
}
