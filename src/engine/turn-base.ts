import type { EventBody } from '../base/event.ts';
import type { LogLine } from '../base/log.ts';
import { createTerminals } from './calls/terminals.ts';
import { createTurnDiff } from './calls/turn-diff.ts';
import { applyLine } from './state/apply-line.ts';
import type { withTimeLimit } from './state/limits.ts';
import { createRecorder } from './state/recorder.ts';
import { emptyState, lastProvider } from './state/thread-state.ts';
import { createTurnLedger } from './turn/turn-ledger.ts';
import type { Recorder, ThreadSetup, Turn } from './turn-setup.ts';

/** The parts that all turns of a thread share. */
export type TurnBase = Pick<Turn, 'thread' | 'state' | 'terminals' | 'mention' | keyof Recorder>;

/** Returns the parts that turns share, over the lines that are in the log. `turnId` returns the id of the running turn. */
export async function foldLines(
  thread: ThreadSetup,
  lines: AsyncIterable<LogLine> | Iterable<LogLine>,
  turnId: () => string | null,
): Promise<Omit<TurnBase, 'mention'> & Recorder> {
  const state = emptyState();
  for await (const line of lines) applyLine(state, line);
  const terminals = createTerminals((event) => thread.emit(event, turnId()));
  return { thread, state, terminals, ...createRecorder(thread.log, state) };
}

/** The parts of a turn that differ from turn to turn. */
interface TurnStart extends Pick<Turn, 'id' | 'leftOver' | 'limits' | 'setup' | 'isFirstHere' | 'answers'> {
  readonly time: ReturnType<typeof withTimeLimit>;
  readonly options: Partial<Pick<Turn, 'outputSchema' | 'checkOutput' | 'baseInstructions'>>;
}

export function createTurn(base: TurnBase, start: TurnStart): Turn {
  const { id, setup, time, options, leftOver, limits, isFirstHere, answers } = start;
  const { thread, state } = base;
  return {
    ...base,
    id,
    setup,
    isFirstHere,
    answers,
    tools: setup.tools(),
    leftOver,
    emit: (event: EventBody) => thread.emit(event, id),
    signal: time.signal,
    interrupt: time.abort,
    limits,
    outputSchema: options.outputSchema,
    checkOutput: options.checkOutput,
    baseInstructions: options.baseInstructions,
    previousModel: state.lastTurn?.model ?? null,
    previousProvider: lastProvider(state),
    plan: null,
    compactionFailed: false,
    diff: createTurnDiff(thread.gitDiff, thread.showPath),
    ledger: createTurnLedger(),
    workspaceSnapshot: null,
  };
}
