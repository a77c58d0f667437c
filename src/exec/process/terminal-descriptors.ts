import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';

/**
 * Our ends of terminals. The native code that opens them lets every process that we start inherit them. A process with
 * such an end could type into the command at the other end.
 */
const ours = new Set<number>();
let nothing: number | undefined;

/**
 * Keeps processes that are started from now on from inheriting a terminal. Returns a function that ends this, to be
 * called when the terminal is closed.
 */
export function hideTerminal(descriptor: number): () => void {
  ours.add(descriptor);
  return () => void ours.delete(descriptor);
}

export type Stdio = Extract<StdioOptions, readonly unknown[]>;

/** Returns descriptors for a process with our ends of terminals replaced. */
export function withoutTerminals(stdio: Stdio): Stdio {
  if (ours.size === 0) return stdio;
  nothing ??= openSync('/dev/null', 'r');
  const all = [...stdio];
  const last = Math.max(...ours);
  // For 'ignore' Node leaves an inherited descriptor open. A number replaces the descriptor.
  while (all.length <= last) all.push('ignore');
  for (const descriptor of ours) if (all[descriptor] === 'ignore') all[descriptor] = nothing;
  return all;
}
