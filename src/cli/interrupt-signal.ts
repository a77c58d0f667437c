/**
 * A signal that aborts at the first Ctrl-C (or SIGTERM, SIGHUP, or when nobody reads the output any more). The second
 * Ctrl-C ends the process at once.
 */
export function interruptSignal(): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Error('interrupted'));
  };
  const closed = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    controller.abort(error);
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  process.stdout.on('error', closed);
  return {
    signal: controller.signal,
    done() {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
