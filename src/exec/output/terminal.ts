import { setMaxListeners } from 'node:events';
import type { Exit, OpenOptions, Terminal } from '../../base/environment.ts';
import type { World } from '../../base/world.ts';
import { createOutputRecord } from './output-record.ts';
import type { ProcessEvents, StartedProcess } from './started-process.ts';

/** A terminal as its environment sees it. */
export interface OpenTerminal extends Terminal, Pick<StartedProcess, 'pid' | 'isSupervised'> {
  /** Whether the process itself runs. After its exit the output may still be incomplete. */
  isRunning(): boolean;
  /** Resolves when the process has ended and its output is complete. Never rejects. */
  readonly ended: Promise<void>;
}

export interface TerminalOptions extends Pick<OpenOptions, 'onOutput' | 'onBytes' | 'onExit'> {
  readonly id: number;
  readonly world: World;
  /** Starts the process on a channel. */
  start(events: ProcessEvents): Promise<StartedProcess>;
  /** Kills the process and all that it started. */
  killTree(terminal: OpenTerminal): Promise<void>;
  /** Called when a caller collects from the terminal or writes to it. */
  onUse(): void;
  /** Called when the terminal has been read to its end. */
  onReadToEnd(): void;
}

/** Longest wait for the output of an exited process while another process holds the output open. */
const TRAILING_MS = 50;

/** Starts a process and records its output. Throws `ToolFailure` when the process cannot be started. */
export async function openTerminal(options: TerminalOptions): Promise<OpenTerminal> {
  const { world } = options;
  const record = createOutputRecord(options.onOutput);
  const lifecycle = createLifecycle(world, (exit) => options.onExit({ ...exit, output: record.end() }));
  const process = await options.start({
    data(bytes) {
      if (lifecycle.hasEnded()) return;
      record.append(bytes);
      options.onBytes?.(bytes);
    },
    outputEnded: lifecycle.outputEnded,
    exited: lifecycle.exited,
  });
  void lifecycle.ended.then(process.abandonOutput);

  const terminal: OpenTerminal = {
    id: options.id,
    pid: process.pid,
    isSupervised: process.isSupervised,
    ended: lifecycle.ended,
    isRunning: () => lifecycle.exit() === undefined,
    async collect(yieldMs, signal) {
      signal.throwIfAborted();
      options.onUse();
      const from = world.monotonic();
      await lifecycle.waitForEnd(yieldMs, signal);
      const collected = { text: record.take(), waitedMs: world.monotonic() - from };
      const exit = lifecycle.exit();
      if (exit === undefined || !lifecycle.hasEnded()) return { ...collected, exitCode: null };
      options.onReadToEnd();
      return { ...collected, exitCode: exit.exitCode };
    },
    async write(chars) {
      options.onUse();
      await process.write(chars);
    },
    resize: (size) => process.resize?.(size),
    output: record.whole,
    kill: () => options.killTree(terminal),
  };
  return terminal;
}

type ExitFacts = Omit<Exit, 'output'>;

/** Tracks the end of a process: it has exited, and its output is complete or was waited for long enough. */
function createLifecycle(world: World, onEnd: (exit: ExitFacts) => void) {
  const startedAt = world.monotonic();
  const waiting = new Set<() => void>();
  let exit: ExitFacts | undefined;
  let outputEnded = false;
  let hasEnded = false;
  let trailing: NodeJS.Timeout | undefined;

  function endWhenComplete(): void {
    if (hasEnded || exit === undefined) return;
    hasEnded = true;
    clearTimeout(trailing);
    for (const resolve of waiting) resolve();
    onEnd(exit);
  }

  return {
    exit: () => exit,
    hasEnded: () => hasEnded,
    ended: new Promise<void>((resolve) => waiting.add(resolve)),
    exited(exitCode: number): void {
      exit = { exitCode, durationMs: world.monotonic() - startedAt };
      if (outputEnded) endWhenComplete();
      // Not straight from the timer: bytes in the pipe are read before an immediate runs.
      else trailing = setTimeout(() => setImmediate(endWhenComplete), TRAILING_MS);
    },
    outputEnded(): void {
      outputEnded = true;
      endWhenComplete();
    },
    /** Resolves at the end or when the time is up. Rejects with the reason of the signal. */
    async waitForEnd(ms: number, signal: AbortSignal): Promise<void> {
      if (hasEnded) return;
      // Any number of terminals may wait under the signal of one turn.
      setMaxListeners(0, signal);
      let done = () => {};
      let timer: NodeJS.Timeout | undefined;
      try {
        await new Promise<void>((resolve) => {
          done = resolve;
          timer = setTimeout(resolve, ms);
          signal.addEventListener('abort', done);
          waiting.add(done);
        });
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiting.delete(done);
      }
      signal.throwIfAborted();
    },
  };
}
