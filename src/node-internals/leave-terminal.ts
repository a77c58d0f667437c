import { closeSync, fstatSync } from 'node:fs';

/**
 * Closes the standard streams that are devices when the process exits. To be called when the terminal has hung up.
 *
 * Relies on Node skipping closed descriptors when it restores the settings of the terminal at its end. Node 20 aborts with
 * SIGABRT if that fails, as it does for a terminal that is gone. The gain is not speed: the exit code is that of the hangup.
 */
export function leaveTerminal(): void {
  process.once('exit', () => {
    for (const descriptor of [0, 1, 2]) closeDevice(descriptor);
  });
}

function closeDevice(descriptor: number): void {
  try {
    if (fstatSync(descriptor).isCharacterDevice()) closeSync(descriptor);
  } catch {
    // It was closed before.
  }
}
