import type { RunOptions, Thread, TurnResult } from '../../app/thread/thread.ts';
import { type Remedy, UserError } from '../../base/errors.ts';
import type { Input } from '../../base/input.ts';
import type { InputCommand, InputLine } from './read-input-lines.ts';

export interface InputsRun {
  readonly thread: Thread;
  /** The prompt of the command line; an empty list without one. */
  readonly first: Input;
  readonly lines: AsyncIterable<InputLine>;
  /** Ends the lines where they are. */
  stopReading(): void;
  /** Of every turn. */
  readonly options: Omit<RunOptions, 'signal'>;
  /** Ends it all. */
  readonly signal: AbortSignal;
  /** A line that came to nothing, and why. */
  onFault(fault: InputFault): void;
  onCompleted(result: Pick<TurnResult, 'finalResponse'>): void;
}

export interface InputFault {
  readonly line: number;
  readonly id?: string;
  readonly message: string;
  readonly remedy?: Remedy | undefined;
}

/**
 * Runs turns on input that comes in lines, until it ends. All of it goes through the queue: while a turn runs it is
 * steering, otherwise it starts the next turn. Gives the exit code, that of the last turn.
 */
export async function runInputs(run: InputsRun): Promise<number> {
  const work = createWork(run);
  if (run.first.length > 0) {
    await run.thread.steer(run.first);
    work.go();
  }
  if (run.signal.aborted) run.stopReading();
  run.signal.addEventListener('abort', run.stopReading, { once: true });
  for await (const line of run.lines) await take(run, work, line);
  return work.finish();
}

async function take({ thread, onFault }: InputsRun, work: Work, line: InputLine): Promise<void> {
  if ('fault' in line) return onFault({ line: line.line, message: line.fault });
  const { command } = line;
  const id = 'id' in command && command.id !== undefined ? { id: command.id } : {};
  try {
    await carryOut(thread, work, command);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onFault({ line: line.line, ...id, message: error.message, remedy: error.remedy });
  }
}

async function carryOut(thread: Thread, work: Work, command: InputCommand): Promise<void> {
  switch (command.type) {
    case 'input':
      await thread.steer(command.input, command.id === undefined ? {} : { id: command.id });
      return work.go();
    case 'edit':
      return requireQueued(await thread.editQueued(command.id, command.input), command.id);
    case 'remove':
      return requireQueued(await thread.removeQueued(command.id), command.id);
    case 'interrupt':
      return work.interrupt();
    case 'compact':
      return work.compact();
  }
}

function requireQueued(isQueued: boolean, id: string): void {
  if (!isQueued)
    throw new UserError(
      'not_found',
      `No input with the id "${id}" is queued: it was taken or removed, or never there.`,
    );
}

/** The turns, one after the other. */
interface Work {
  /** What is queued may start a turn. */
  go(): void;
  /** Ends the turn that runs. What is queued waits for `go`. */
  interrupt(): Promise<void>;
  /** Compacts, after the turn that runs. */
  compact(): void;
  /** Does what is left to do, and gives the exit code. */
  finish(): Promise<number>;
}

function createWork(run: InputsRun): Work {
  const { thread, signal, stopReading } = run;
  let turn: { stop(): void; readonly ended: Promise<void> } | null = null;
  let mayStart = false;
  let compactAsked = false;
  let last: TurnResult['status'] | null = null;
  /** The thread itself cannot go on, for instance because the disk is full. */
  let failure: { readonly error: unknown } | null = null;

  const wait = () => {
    mayStart = false;
  };

  function startNext(): void {
    if (turn || failure || signal.aborted) return;
    if (compactAsked) start((stopSignal) => thread.compact({ signal: stopSignal }));
    else if (mayStart && thread.queue.length > 0) start((stopSignal) => runQueued(run, stopSignal, wait));
  }

  function start(what: Stoppable): void {
    compactAsked = false;
    const { stop, done } = startStoppable(signal, what);
    turn = { stop, ended: follow(done) };
  }

  async function follow(done: ReturnType<Stoppable>): Promise<void> {
    try {
      last = (await done).status;
    } catch (error) {
      failure = { error };
      stopReading();
    }
    turn = null;
    startNext();
  }

  return {
    go() {
      mayStart = true;
      startNext();
    },
    async interrupt() {
      wait();
      turn?.stop();
      await turn?.ended;
    },
    compact() {
      compactAsked = true;
      startNext();
    },
    async finish() {
      if (last !== 'aborted') mayStart = true;
      startNext();
      while (turn) await turn.ended;
      if (failure) throw failure.error;
      if (last === null && !signal.aborted) throw new UserError('invalid_input', NO_INPUT);
      return last === 'completed' && !signal.aborted ? 0 : 1;
    },
  };
}

/** A turn about what is queued. `wait`: what is still queued then must not start another. */
async function runQueued(
  { thread, options, onCompleted }: InputsRun,
  signal: AbortSignal,
  wait: () => void,
): Promise<TurnResult> {
  const first = thread.queue[0]?.id;
  const result = await thread.run([], { ...options, signal });
  if (result.status === 'completed') onCompleted(result);
  // One that failed before it took anything would fail again, and again.
  else if (result.status === 'aborted' || thread.queue[0]?.id === first) wait();
  return result;
}

type Stoppable = (signal: AbortSignal) => Promise<{ readonly status: TurnResult['status'] }>;

/** Starts what can be stopped by itself, and is stopped with all else. */
function startStoppable(outer: AbortSignal, what: Stoppable): { stop(): void; done: ReturnType<Stoppable> } {
  const controller = new AbortController();
  const forward = () => controller.abort(outer.reason);
  outer.addEventListener('abort', forward, { once: true });
  return {
    stop: () => controller.abort(new Error('interrupted')),
    done: what(controller.signal).finally(() => outer.removeEventListener('abort', forward)),
  };
}

const NO_INPUT =
  'No input was given. Write lines to standard input such as {"type":"input","text":"fix the failing test"}.';
