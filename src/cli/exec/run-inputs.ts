import type { RunOptions, Thread, TurnResult } from '../../app/thread/thread.ts';
import { type Remedy, UserError } from '../../base/errors.ts';
import type { Input } from '../../base/input.ts';
import type { InputCommand, InputLine } from './read-input-lines.ts';

export interface InputsRun {
  readonly thread: Thread;
  /** Prompt of the command line. An empty list without one. */
  readonly first: Input;
  readonly lines: AsyncIterable<InputLine>;
  /** Ends `lines` at the current line. */
  stopReading(): void;
  /** Options of every turn. */
  readonly options: Omit<RunOptions, 'signal'>;
  /** Interrupts the turn and ends the run. */
  readonly signal: AbortSignal;
  /** Called for a line that could not be run. */
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
 * Runs turns on input that comes in lines, until it ends. All input goes through the queue: it steers a running turn,
 * or else starts the next turn. Returns the exit code of the last turn.
 */
export async function runInputs(run: InputsRun): Promise<number> {
  const turns = createTurnRunner(run);
  if (run.first.length > 0) {
    await run.thread.steer(run.first);
    turns.go();
  }
  if (run.signal.aborted) run.stopReading();
  run.signal.addEventListener('abort', run.stopReading, { once: true });
  for await (const line of run.lines) await runLine(run, turns, line);
  return turns.finish();
}

async function runLine({ thread, onFault }: InputsRun, turns: TurnRunner, line: InputLine): Promise<void> {
  if ('fault' in line) return onFault({ line: line.line, message: line.fault });
  const { command } = line;
  const id = 'id' in command && command.id !== undefined ? { id: command.id } : {};
  try {
    await runCommand(thread, turns, command);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onFault({ line: line.line, ...id, message: error.message, remedy: error.remedy });
  }
}

async function runCommand(thread: Thread, turns: TurnRunner, command: InputCommand): Promise<void> {
  switch (command.type) {
    case 'input':
      await thread.steer(command.input, command.id === undefined ? {} : { id: command.id });
      return turns.go();
    case 'edit':
      return requireQueued(await thread.editQueued(command.id, command.input), command.id);
    case 'remove':
      return requireQueued(await thread.removeQueued(command.id), command.id);
    case 'interrupt':
      return turns.interrupt();
    case 'compact':
      return turns.compact();
  }
}

function requireQueued(isQueued: boolean, id: string): void {
  if (!isQueued)
    throw new UserError(
      'not_found',
      `No input with the id "${id}" is queued: it was sent or removed, or never existed.`,
    );
}

/** The turns of a run, one after the other. */
interface TurnRunner {
  /** Lets queued input start a turn. */
  go(): void;
  /** Interrupts the running turn. Queued input then waits for `go`. */
  interrupt(): Promise<void>;
  /** Compacts the thread after the running turn. */
  compact(): void;
  /** Waits for the remaining turns and returns the exit code. */
  finish(): Promise<number>;
}

function createTurnRunner(run: InputsRun): TurnRunner {
  const { thread, signal, stopReading } = run;
  let turn: { stop(): void; readonly ended: Promise<void> } | null = null;
  let mayStart = false;
  let compactAsked = false;
  let last: TurnResult['status'] | null = null;
  /** Set when the thread itself cannot continue, for instance because the disk is full. */
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

/** Runs a turn on the queued input. Calls `wait` when the rest of the queue must not start another turn. */
async function runQueued(
  { thread, options, onCompleted }: InputsRun,
  signal: AbortSignal,
  wait: () => void,
): Promise<TurnResult> {
  const first = thread.queue[0]?.id;
  const result = await thread.run([], { ...options, signal });
  if (result.status === 'completed') onCompleted(result);
  // A turn that failed before it consumed input would fail again and again.
  else if (result.status === 'aborted' || thread.queue[0]?.id === first) wait();
  return result;
}

type Stoppable = (signal: AbortSignal) => Promise<{ readonly status: TurnResult['status'] }>;

/** Starts work that can be stopped by itself, and that stops with the outer signal too. */
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
