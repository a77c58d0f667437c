/** Lets a run be stopped from outside. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  stop(): void;
  /** Signals of the system do again what they do by default. */
  done(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP. The second one ends the process at once. */
export function interruptSignal(): Interrupt {
  const controller = new AbortController();
  const stop = () => controller.abort(new Error('interrupted'));
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    stop();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop,
    done() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
