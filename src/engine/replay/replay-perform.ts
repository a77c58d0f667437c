import { type CallItem, isCallOutput } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import { countSampled } from '../calls/sample-for-server.ts';
import { snapshotWorkspace } from '../calls/snapshot-workspace.ts';
import type { CallOutcome, Perform, Turn } from '../turn-setup.ts';
import { callFault } from './call-fault.ts';
import { RecordEnd } from './divergence.ts';
import type { RecordedCall } from './expected-lines.ts';
import { internalFailure, type Playback } from './playback.ts';

/**
 * Answers calls with their recorded outputs. No tool runs. `lineOf` returns the number of the line that contains a
 * call. Whether a call ended before its output was due is chance, so it ends when it did on record.
 */
export function replayPerform(playback: Playback, lineOf: (call: CallItem) => number): Perform {
  return async (turn, item, { outputDue, answered }) => {
    const number = lineOf(item);
    const call = playback.expected.callAfter(number, item);
    const fault = callFault(call, answered !== undefined);
    if (fault) playback.diverge(fault);
    const writing = writeLines(playback, turn, { ...call, number });
    playback.during(writing);
    await writing;
    const finished = call.lines.at(-1);
    const early = finished && outcomeIn(finished.line);
    if (early) {
      playback.during(playback.expected.whenTaken(finished));
      return early;
    }
    const outcome = call.output && outcomeIn(call.output.line);
    // The end of an interrupted turn writes the output of a call with an open question, not the call itself.
    if (finished && isSuspended(finished.line) && outcome?.metadata.failure !== 'aborted') return null;
    if (!outcome) throw internalFailure(playback.expected.ahead()?.line) ?? new RecordEnd('The log ends here.');
    await outputDue();
    await playback.caughtUp();
    return outcome;
  };
}

async function writeLines(
  { expected }: Playback,
  turn: Turn,
  { lines, output, number }: RecordedCall & { readonly number: number },
): Promise<void> {
  if (expected.snapshotBetween(number, output?.number ?? Number.POSITIVE_INFINITY)) await snapshotWorkspace(turn);
  // The dispatch writes the line about the end of the call.
  for (const { line } of lines) {
    if (line.type === 'oxbow' && line.payload.kind === 'call.sampled') {
      turn.limits.beforeRequest();
      countSampled(turn, line.payload);
    }
    if (!outcomeIn(line)) await turn.record(line);
  }
}

function isSuspended(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'ask.suspended';
}

function outcomeIn(line: LogLine): CallOutcome | undefined {
  if (line.type === 'oxbow' && line.payload.kind === 'call.finished') {
    const { output, metadata } = line.payload;
    return { output, metadata };
  }
  if (line.type !== 'response_item' || !isCallOutput(line.payload)) return undefined;
  return { output: line.payload, metadata: (line.metadata ?? {}) as CallOutcome['metadata'] };
}
