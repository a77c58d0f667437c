import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';

/**
 * Our ends of terminals. The native code that opens them lets every process that we start inherit them, and whoever had one
 * could type into the command at its other end.
 */
const ours = new Set<number>();
let nothing: number | undefined;

/** From now on processes get nothing in its place. Returns how to take that back, to be called when it is closed. */
export function hideTerminal(descriptor: number): () => void {
  ours.add(descriptor);
  return () => void ours.delete(descriptor);
}

export type Stdio = Extract<StdioOptions, readonly unknown[]>;

/** Descriptors for a process that gets none of our ends of terminals. */
export function withoutTerminals(stdio: Stdio): Stdio {
  if (ours.size === 0) return stdio;
  nothing ??= openSync('/dev/null', 'r');
  const all = [...stdio];
  const last = Math.max(...ours);
  // Node leaves alone what it is told to ignore, but puts something else in its place.
  while (all.length <= last) all.push('ignore');
  for (const descriptor of ours) if (all[descriptor] === 'ignore') all[descriptor] = nothing;
  return all;
}
