/** Stops a run from outside. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Aborts the signal. */
  stop(): void;
  /** Restores the default effect of system signals. */
  done(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns a signal that aborts at the first Ctrl-C, SIGTERM or SIGHUP. The second one ends the process at once. */
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
