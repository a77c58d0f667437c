import { leaveTerminal } from '../node-internals/leave-terminal.ts';

/** Stops a run from outside. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  stop(): void;
  /** Ignores Ctrl-C until the returned function is called. */
  holdKeys(): () => void;
  /** Returns the exit code for the system signal that came first. Undefined if none came. */
  exitCode(): number | undefined;
  /** Restores the default effect of system signals. */
  done(): void;
}

/** Exit codes by system signal. An interrupted turn is a failed one, as in Codex; the others are those of a shell. */
const EXIT_CODES = { SIGINT: 1, SIGTERM: 143, SIGHUP: 129 } as const;

type SystemSignal = keyof typeof EXIT_CODES;

const SIGNALS = Object.keys(EXIT_CODES) as SystemSignal[];

/** Returns a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP. The second one ends the process at once. */
export function interruptSignal(): Interrupt {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error('interrupted'));
  let exitCode: number | undefined;
  let held = 0;
  const onSignal = (name: NodeJS.Signals) => {
    if (name === 'SIGINT' && held > 0) return;
    const code = EXIT_CODES[name as SystemSignal];
    if (name === 'SIGHUP') leaveTerminal();
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : code);
    exitCode = code;
    stop();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop,
    holdKeys() {
      held++;
      return () => void held--;
    },
    exitCode: () => exitCode,
    done() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
