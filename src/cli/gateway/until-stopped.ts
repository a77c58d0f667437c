import { constants } from 'node:os';

const STOP = ['SIGINT', 'SIGTERM'] as const;

/** Resolves at the first Ctrl-C or SIGTERM; the second one ends the process at once. SIGHUP calls `onReload`. */
export function untilStopped(onReload: () => void): Promise<void> {
  process.on('SIGHUP', onReload);
  return new Promise((resolve) => {
    let stopping = false;
    for (const name of STOP) {
      process.on(name, () => {
        if (stopping) process.exit(128 + constants.signals[name]);
        stopping = true;
        resolve();
      });
    }
  });
}
