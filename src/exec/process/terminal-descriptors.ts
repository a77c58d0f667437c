import type { StdioOptions } from 'node:child_process';
import { openSync } from 'node:fs';
import { checkDescriptors } from '../../node-internals/check-descriptors.ts';

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

/**
 * Throws the error of the system if there are too few descriptors to start a process with these. Node never closes the
 * pipes that it has made when the start of a process fails for want of more.
 */
export function checkStdio(stdio: Stdio): void {
  const pipes = stdio.filter((one) => one === 'pipe' || one === 'ipc').length;
  // A pipe has two ends. The start itself needs another.
  if (pipes > 0) checkDescriptors(2 * pipes + 2);
}

export type Stdio = Extract<StdioOptions, readonly unknown[]>;

/** Returns descriptors for a process with our ends of terminals replaced. */
export function withoutTerminals(stdio: Stdio): Stdio {
  if (ours.size === 0) return stdio;
  const instead = nullDescriptor();
  const all = [...stdio];
  const last = Math.max(...ours);
  // For 'ignore' Node leaves an inherited descriptor open. A number replaces the descriptor.
  while (all.length <= last) all.push('ignore');
  for (const descriptor of ours) if (all[descriptor] === 'ignore') all[descriptor] = instead;
  return all;
}

/** Returns a descriptor of /dev/null, the same for all callers. It stays open, since a process may start at any time. */
export function nullDescriptor(): number {
  nothing ??= openSync('/dev/null', 'r');
  return nothing;
}
