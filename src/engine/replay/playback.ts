import { type CallOutputItem, isCallOutput } from '../../base/item.ts';
import type { LogLine, OxbowLine } from '../../base/log.ts';
import { LimitReached } from '../state/limits.ts';
import type { EngineThread } from '../thread.ts';
import { Diverged } from './divergence.ts';
import { createExpectedLines, type ExpectedLines } from './expected-lines.ts';
import { actorOf, isFromOutside } from './line-kinds.ts';
import type { RecordedLine } from './recorded-line.ts';
import { isInterruption } from './turn-facts.ts';

/** The surroundings of a replayed thread. The recorded events happen in them, in the recorded order. */
export interface Playback {
  readonly expected: ExpectedLines;
  /** The replayed thread. */
  thread: EngineThread | null;
  /** Interrupts the running turn. */
  interruption: AbortController;
  /** Rejects with the first divergence. */
  readonly diverged: Promise<never>;
  /** Reports a divergence. Throws it, or the first divergence if there was one before. */
  diverge(error: Diverged): never;
  /** Accepts a line that was written, and triggers the events that were recorded next. */
  write(line: LogLine): Promise<void>;
  /** Resolves when everything has happened that was recorded before the turn's next line. */
  caughtUp(): Promise<void>;
  /** Adds work of calls that must be done before the turn's next line. */
  during(work: Promise<unknown>): void;
  /** Repeats the change from outside that a line records. */
  act(recorded: RecordedLine): Promise<void>;
}

export function createPlayback(): Playback {
  const expected = createExpectedLines();
  const { during, caughtUp } = createUnderway();
  const { diverged, diverge, fault } = createVerdict();
  /** Whether changes from outside are under way. */
  let acting = false;

  async function actAll(): Promise<void> {
    acting = true;
    try {
      for (let next = expected.ahead(); next && isFromOutside(next.line); next = expected.ahead())
        await playback.act(next);
    } finally {
      acting = false;
    }
  }

  function letHappen(): Promise<unknown> | undefined {
    const next = expected.ahead();
    if (!next) return undefined;
    const reason = interruptionAhead(playback);
    if (reason) playback.interruption.abort(reason);
    if (acting || !isFromOutside(next.line)) return undefined;
    const acts = actAll();
    during(acts);
    // A change may have to wait until a group of lines is complete. The wait for it is limited, because it would never
    // end within the group.
    return Promise.race([acts, new Promise((resolve) => setImmediate(resolve))]).catch(() => {});
  }

  const playback: Playback = {
    expected,
    thread: null,
    interruption: new AbortController(),
    diverged,
    diverge,
    during,
    caughtUp,
    async write(line) {
      const ofTurn = actorOf(line) === 'turn';
      if (ofTurn) await caughtUp();
      const failure = fault() ?? (ofTurn && !isFailure(line) ? internalFailure(expected.ahead()?.line) : undefined);
      if (failure) throw failure;
      const otherwise = expected.take(line);
      if (otherwise instanceof Diverged) diverge(otherwise);
      if (otherwise) throw otherwise;
      await letHappen();
    },
    async act(recorded) {
      if (!playback.thread || recorded.line.type !== 'oxbow') return;
      await change(playback.thread, recorded.line.payload).catch(() => {});
      if (expected.ahead() === recorded) diverge(notMade(recorded));
    },
  };
  return playback;
}

/** Returns a list of the work that runs at the same time as the turn. */
function createUnderway(): Pick<Playback, 'during' | 'caughtUp'> {
  const pending = new Set<Promise<unknown>>();
  return {
    during(work) {
      const done = work.catch(() => {}).finally(() => pending.delete(done));
      pending.add(done);
    },
    async caughtUp() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

function createVerdict(): Pick<Playback, 'diverged' | 'diverge'> & { fault(): Diverged | undefined } {
  let first: Diverged | undefined;
  let stop: (fault: Diverged) => void = () => {};
  const diverged = new Promise<never>((_, reject) => {
    stop = reject;
  });
  // The rejection is not always awaited.
  diverged.catch(() => {});
  return {
    diverged,
    fault: () => first,
    diverge(error) {
      first ??= error;
      stop(first);
      throw first;
    },
  };
}

async function change(thread: EngineThread, line: OxbowLine): Promise<void> {
  if (line.kind === 'input.queued') await thread.steer(line.content, line.id);
  if (line.kind === 'input.edited') await thread.editQueued(line.id, line.content);
  if (line.kind === 'input.removed') await thread.removeQueued(line.id);
  if (line.kind === 'command.started' || line.kind === 'command.ended') await thread.repeatCommand(line);
}

export function notMade({ number, line }: RecordedLine, why?: string): Diverged {
  const reason = `does not come${why === undefined ? '' : `: ${why}`}`;
  return new Diverged({ line: number, reason, recorded: line, came: null });
}

/**
 * Returns the reason why a turn is interrupted, if its next lines show an interruption. Outputs of calls whose questions
 * were open then come first.
 */
function interruptionAhead({ expected, thread }: Playback): Error | undefined {
  const calls = [...(thread?.state.openCalls.values() ?? [])].filter(({ suspended }) => suspended);
  const isUnanswered = (line: LogLine | undefined) =>
    line?.type === 'response_item' &&
    isCallOutput(line.payload) &&
    calls.some(({ item }) => item.call_id === (line.payload as CallOutputItem).call_id);
  let at = 0;
  while (isUnanswered(expected.ahead(at)?.line)) at++;
  const next = expected.ahead(at)?.line;
  return next && interruptionAt(next, expected.ahead(at + 1)?.line);
}

/** Returns the reason why a turn is interrupted, if its next lines show an interruption. */
function interruptionAt(next: LogLine, afterNext: LogLine | undefined): Error | undefined {
  const lines = afterNext ? [next, afterNext] : [next];
  if (isAborted(next) || isInterruption(lines, 0)) return new Error('interrupted');
  if (next.type !== 'oxbow' || next.payload.kind !== 'turn.failed') return undefined;
  const { limit, message } = next.payload;
  return limit?.kind === 'time' ? new LimitReached(limit.kind, limit.value, message) : undefined;
}

/** Returns the internal failure that is recorded next, such as a write to a full disk. */
export function internalFailure(next: LogLine | undefined): Error | undefined {
  if (next?.type !== 'oxbow' || next.payload.kind !== 'turn.failed') return undefined;
  return next.payload.code === 'internal' ? new Error(next.payload.message) : undefined;
}

function isFailure(line: LogLine): boolean {
  return line.type === 'oxbow' && line.payload.kind === 'turn.failed';
}

function isAborted(line: LogLine): boolean {
  return line.type === 'event_msg' && line.payload.type === 'turn_aborted';
}
